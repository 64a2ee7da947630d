package throttle

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

func TestThrottleKeys(t *testing.T) {
	t.Parallel()
	if a, b := AccountKey(strings.Repeat("a", 1<<20)), AccountKey("ana@example.org"); len(a) != len(b) || a == b {
		t.Errorf("a long name takes %d bytes, a short one %d", len(a), len(b))
	}
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"203.0.113.7", "203.0.113.7", true},
		{"203.0.113.7", "203.0.113.8", false},
		{"203.0.113.7", "::ffff:203.0.113.7", true},
		{"2001:db8:1:2::7", "2001:db8:1:2:ffff::8", true},
		{"2001:db8:1:2::7", "2001:db8:1:3::7", false},
		{"fe80::1%eth0", "fe80::1%eth1", true},
	} {
		if got := AddressKey(tc.a) == AddressKey(tc.b); got != tc.same {
			t.Errorf("%s and %s count as one: %t", tc.a, tc.b, got)
		}
	}
}

// TestThrottleIsBounded: however many names are tried, what is remembered has a bound.
func TestThrottleIsBounded(t *testing.T) {
	t.Parallel()
	th := newTries(agenttest.NewClock())
	for i := range 3 * maxThrottled {
		th.fail(AccountKey(fmt.Sprint(i)))
	}
	if n := len(th.fails); n > maxThrottled+1 {
		t.Errorf("%d accounts are remembered", n)
	}
}

// TestTriesAtOnce: tries count from their beginning, so many at once are no way around.
func TestTriesAtOnce(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	th := newTries(clock)
	let := make(chan bool, 100)
	for range cap(let) {
		go func() { let <- th.Try("k") == 0 }()
	}
	n := 0
	for range cap(let) {
		if <-let {
			n++
		}
	}
	if n != maxFailures {
		t.Errorf("%d of %d tries were let through, want %d", n, cap(let), maxFailures)
	}
	clock.Advance(failureWindow)
	if wait := th.Try("k"); wait != 0 {
		t.Errorf("a minute later there is still a wait of %v", wait)
	}
}

// TestManyAddressesAtOneAccount: late tries are let through from everywhere, up to a bound, and
// again an hour later; those that were not judged do not count.
func TestManyAddressesAtOneAccount(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	l := New(nil, clock, nil, nil)
	address := func(i int) string { return fmt.Sprintf("10.0.%d.%d", i/256, i%256) }
	let := func() (n int) {
		for i := range 1000 {
			if _, wait := l.Begin("ana@example.org", address(i), ""); wait == 0 {
				n++
			}
		}
		return n
	}
	if n := let(); n != maxFailures+maxLate {
		t.Errorf("%d of 1000 guesses were let through", n)
	}
	clock.Advance(failureWindow)
	if n := let(); n != maxFailures {
		t.Errorf("%d a minute later", n)
	}
	if _, wait := l.Begin("bob@example.org", address(2000), ""); wait != 0 {
		t.Errorf("another account: %v", wait)
	}
	clock.Advance(lateWindow)
	for range 3 * maxLate {
		if a, wait := l.Begin("ana@example.org", address(3000), ""); wait == 0 {
			a.TakeBack()
		}
	}
	if n := let(); n != maxFailures+maxLate {
		t.Errorf("%d an hour later", n)
	}
}

// TestLateTriesAtOnce: many at once from one address are no way around.
func TestLateTriesAtOnce(t *testing.T) {
	t.Parallel()
	l := New(nil, agenttest.NewClock(), nil, nil)
	for i := range maxFailures {
		l.Begin("ana@example.org", fmt.Sprintf("10.0.0.%d", i), "")
	}
	let := make(chan bool, 100)
	for range cap(let) {
		go func() { _, wait := l.Begin("ana@example.org", "10.9.9.9", ""); let <- wait == 0 }()
	}
	n := 0
	for range cap(let) {
		if <-let {
			n++
		}
	}
	if n != maxPair {
		t.Errorf("%d were let through, want %d", n, maxPair)
	}
}
