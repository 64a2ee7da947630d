package page

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// auditSignIn writes down that somebody signs in who decides over others' runs.
// Where that cannot be written, he does not sign in.
func (s *Account) auditSignIn(c echo.Context, u agent.User) error {
	if !u.Role.Reviews() {
		return nil
	}
	return s.Store.Audit(c.Request().Context(), agent.AuditRow{
		ID: s.NewID(), At: s.Clock.Now(), Actor: u.Email, Role: u.Role, Action: "login", Target: u.ID, Place: request.PlaceOf(c, ""), Detail: "{}",
	})
}

// noteThrottled writes down that tries were refused after too many failures. Of
// what was typed only the address of an account that exists is kept: people type
// passwords into the wrong field.
func (s *Throttling) noteThrottled(c echo.Context, what, email string) {
	ctx := c.Request().Context()
	target := ""
	if u, _, err := s.Store.UserByEmail(ctx, email); err == nil {
		target = u.ID
	} else {
		email = ""
	}
	if !s.noted.allows(target + " " + c.RealIP()) {
		return
	}
	detail, _ := json.Marshal(map[string]string{"door": what, "email": email}) // texts always encode
	err := s.Store.Audit(ctx, agent.AuditRow{
		ID: s.NewID(), At: s.Clock.Now(), Actor: agent.System, Action: "login.throttled", Target: target,
		Place: request.PlaceOf(c, ""), Detail: string(detail),
	})
	if err != nil { // the refusal stands without it
		s.Logger.Error("writing a throttled login to the audit log failed", "error", err)
	}
}

// The bounds of what strangers can make the audit log grow by.
const (
	maxNotes   = 30
	noteWindow = time.Hour
)

// noteBound lets one line about a key pass in a minute, and so many in an hour.
type noteBound struct {
	clock agent.Clock
	mu    sync.Mutex
	notes []note
}

type note struct {
	key string
	at  time.Time
}

func (b *noteBound) allows(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	b.notes = slices.DeleteFunc(b.notes, func(n note) bool { return now.Sub(n.at) >= noteWindow })
	again := slices.ContainsFunc(b.notes, func(n note) bool { return n.key == key && now.Sub(n.at) < failureWindow })
	if again || len(b.notes) >= maxNotes {
		return false
	}
	b.notes = append(b.notes, note{key, now})
	return true
}
