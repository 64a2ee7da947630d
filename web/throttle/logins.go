package throttle

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Logins slows down people and programs that guess passwords.
type Logins struct {
	*tries
	// pairs are the failures of an address at an account, and late those tries at an
	// account that were let through although others had failed too often there.
	pairs, late *tries
	letting     sync.Mutex // makes letting a late try through one step
	store       Store
	clock       agent.Clock
	log         *slog.Logger
	newID       agent.NewID
	noted       *notes
}

// Store is the part of the store that Logins needs.
type Store interface {
	Audit(ctx context.Context, row agent.AuditRow) error
	// UserByEmail also returns the password hash.
	UserByEmail(ctx context.Context, email string) (*agent.User, string, error)
}

// New makes Logins that has seen no failures.
func New(store Store, clock agent.Clock, newID agent.NewID, log *slog.Logger) *Logins {
	return &Logins{tries: newTries(clock), pairs: bounded(clock, maxPair, lateWindow), late: bounded(clock, maxLate, lateWindow), store: store, clock: clock, newID: newID, log: log, noted: &notes{clock: clock}}
}

// Note writes down that tries were refused after too many failures. Of
// what was typed only the address of an account that exists is kept: people type
// passwords into the wrong field.
func (l *Logins) Note(c echo.Context, what, email string) {
	ctx := c.Request().Context()
	target := ""
	if u, _, err := l.store.UserByEmail(ctx, email); err == nil {
		target = u.ID
	} else {
		email = ""
	}
	if !l.noted.allows(target + " " + c.RealIP()) {
		return
	}
	detail, _ := json.Marshal(map[string]string{"door": what, "email": email}) // texts always encode
	err := l.store.Audit(ctx, agent.AuditRow{
		ID: l.newID(), At: l.clock.Now(), Actor: agent.System, Action: "login.throttled", Target: target,
		Place: request.PlaceOf(c, ""), Detail: string(detail),
	})
	if err != nil { // the refusal stands without it
		l.log.Error("writing a throttled login to the audit log failed", "error", err)
	}
}

// The bounds of what strangers can make the audit log grow by.
const (
	maxNotes   = 30
	noteWindow = time.Hour
)

// notes lets one line about a key pass in a minute, and so many in an hour.
type notes struct {
	clock agent.Clock
	mu    sync.Mutex
	lines []note
}

type note struct {
	key string
	at  time.Time
}

func (b *notes) allows(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	b.lines = slices.DeleteFunc(b.lines, func(n note) bool { return now.Sub(n.at) >= noteWindow })
	again := slices.ContainsFunc(b.lines, func(n note) bool { return n.key == key && now.Sub(n.at) < failureWindow })
	if again || len(b.lines) >= maxNotes {
		return false
	}
	b.lines = append(b.lines, note{key, now})
	return true
}
