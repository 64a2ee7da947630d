package throttle

import (
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"

	"fusebox/agent"
)

// The bounds of failed logins: so many within a minute for one account or one
// address, and so many accounts and addresses remembered.
const (
	maxFailures   = 5
	failureWindow = time.Minute
	maxThrottled  = 10_000
)

// AccountKey names an account that is throttled. Its length does not depend on what was
// typed: what is remembered has a bound in bytes too.
func AccountKey(email string) string {
	sum := sha256.Sum256([]byte(email))
	return "account " + string(sum[:])
}

// AddressKey names an address. It takes the whole network that one subscriber has by IPv6 for one
// address: else each try could come from another one.
func AddressKey(ip string) string {
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

// tries counts failed logins by a key, such as an account or an address: so many within a
// while.
type tries struct {
	clock  agent.Clock
	most   int
	window time.Duration
	trying sync.Mutex // makes try one step
	mu     sync.Mutex
	fails  map[string][]time.Time
}

func newTries(clock agent.Clock) *tries {
	return bounded(clock, maxFailures, failureWindow)
}

func bounded(clock agent.Clock, most int, window time.Duration) *tries {
	return &tries{clock: clock, most: most, window: window, fails: map[string][]time.Time{}}
}

// wait returns how long the keys must wait before another try, 0 for not at all.
func (t *tries) wait(keys ...string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var longest time.Duration
	for _, k := range keys {
		if recent := t.recent(k); len(recent) >= t.most {
			oldest := recent[len(recent)-t.most]
			longest = max(longest, oldest.Add(t.window).Sub(t.clock.Now()))
		}
	}
	return longest
}

func (t *tries) fail(keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.fails) > maxThrottled {
		t.sweep()
	}
	for _, k := range keys {
		recent := append(t.recent(k), t.clock.Now())
		t.fails[k] = recent[max(len(recent)-t.most, 0):]
	}
}

// Try notes a try before it is judged, so that many at the same time count
// too; where there were too many it returns how long to wait and notes nothing.
func (t *tries) Try(keys ...string) time.Duration {
	t.trying.Lock()
	defer t.trying.Unlock()
	if wait := t.wait(keys...); wait > 0 {
		return wait
	}
	t.fail(keys...)
	return 0
}

// Passed takes the note of a try back that turned out right.
func (t *tries) Passed(keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		if n := len(t.fails[key]); n > 0 {
			t.fails[key] = t.fails[key][:n-1]
		}
	}
}

// Clear forgets the failures of an account that has signed in.
func (t *tries) Clear(keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range keys {
		delete(t.fails, k)
	}
}

func (t *tries) recent(key string) []time.Time {
	since := t.clock.Now().Add(-t.window)
	all := t.fails[key]
	for len(all) > 0 && !all[0].After(since) {
		all = all[1:]
	}
	return all
}

// sweep forgets what is old, and everything if that was not enough: memory is
// bounded even where an attacker has many addresses.
func (t *tries) sweep() {
	for k := range t.fails {
		if len(t.recent(k)) == 0 {
			delete(t.fails, k)
		}
	}
	if len(t.fails) > maxThrottled {
		clear(t.fails)
	}
}
