package page

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Throttling slows down who guesses passwords.
type Throttling struct {
	Store  throttlingStore
	Clock  agent.Clock
	Logger *slog.Logger
	NewID  agent.NewID
	logins *throttle
	noted  *noteBound
}

// throttlingStore is the part of the store that throttling needs.
type throttlingStore interface {
	Audit(ctx context.Context, row agent.AuditRow) error
	// UserByEmail also returns the password hash.
	UserByEmail(ctx context.Context, email string) (*agent.User, string, error)
}

// The bounds of failed logins: so many within a minute for one account or one
// address, and so many accounts and addresses remembered.
const (
	maxFailures   = 5
	failureWindow = time.Minute
	maxThrottled  = 10_000
)

// accountKey and addressKey name who is throttled. Their length does not depend
// on what was typed: what is remembered has a bound in bytes too.
func accountKey(email string) string {
	sum := sha256.Sum256([]byte(email))
	return "account " + string(sum[:])
}

// addressKey takes the whole network that one subscriber has by IPv6 for one
// address: else each try could come from another one.
func addressKey(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return "address unknown"
	}
	if a = a.Unmap(); a.Is6() {
		if net, err := a.WithZone("").Prefix(64); err == nil {
			a = net.Addr()
		}
	}
	return "address " + a.String()
}

// throttle counts failed logins by account and by address.
type throttle struct {
	clock  agent.Clock
	trying sync.Mutex // makes try one step
	mu     sync.Mutex
	fails  map[string][]time.Time
}

func newThrottle(clock agent.Clock) *throttle {
	return &throttle{clock: clock, fails: map[string][]time.Time{}}
}

// wait returns how long the keys must wait before another try, 0 for not at all.
func (t *throttle) wait(keys ...string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var longest time.Duration
	for _, k := range keys {
		if recent := t.recent(k); len(recent) >= maxFailures {
			oldest := recent[len(recent)-maxFailures]
			longest = max(longest, oldest.Add(failureWindow).Sub(t.clock.Now()))
		}
	}
	return longest
}

// fail notes a failed login.
func (t *throttle) fail(keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.fails) > maxThrottled {
		t.sweep()
	}
	for _, k := range keys {
		recent := append(t.recent(k), t.clock.Now())
		t.fails[k] = recent[max(len(recent)-maxFailures, 0):]
	}
}

// try notes a try before it is judged, so that many at the same time count
// too; where there were too many it returns how long to wait and notes nothing.
func (t *throttle) try(keys ...string) time.Duration {
	t.trying.Lock()
	defer t.trying.Unlock()
	if wait := t.wait(keys...); wait > 0 {
		return wait
	}
	t.fail(keys...)
	return 0
}

// passed takes the note of a try back that turned out right.
func (t *throttle) passed(keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		if n := len(t.fails[key]); n > 0 {
			t.fails[key] = t.fails[key][:n-1]
		}
	}
}

// clear forgets the failures of an account that has signed in.
func (t *throttle) clear(keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range keys {
		delete(t.fails, k)
	}
}

func (t *throttle) recent(key string) []time.Time {
	since := t.clock.Now().Add(-failureWindow)
	all := t.fails[key]
	for len(all) > 0 && !all[0].After(since) {
		all = all[1:]
	}
	return all
}

// sweep forgets what is old, and everything if that was not enough: memory is
// bounded even where an attacker has many addresses.
func (t *throttle) sweep() {
	for k := range t.fails {
		if len(t.recent(k)) == 0 {
			delete(t.fails, k)
		}
	}
	if len(t.fails) > maxThrottled {
		clear(t.fails)
	}
}

// NewThrottling makes a throttle that has seen no failures.
func NewThrottling(store throttlingStore, clock agent.Clock, newID agent.NewID, log *slog.Logger) *Throttling {
	return &Throttling{Store: store, Clock: clock, NewID: newID, Logger: log, logins: newThrottle(clock), noted: &noteBound{clock: clock}}
}

// auditSignIn records the sign-in of a person who can decide about others' runs.
// Where that cannot be written, they do not sign in.
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
