package guards

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"fusebox/agent"
)

// randomHistory reads one record per byte: two bits each for the call, the
// result and what is special. The last one is the call to be judged.
func randomHistory(data []byte) *agent.History {
	h := &agent.History{Window: 30}
	for i, b := range data {
		c := agent.CallRecord{N: i + 1, Step: 1 + i/(1+int(b>>7)), Tool: "t", Args: fmt.Sprint(b & 3), Shape: fmt.Sprint(b & 1), Result: fmt.Sprint(b >> 2 & 3)}
		switch b >> 4 & 3 {
		case 1:
			c.Blocked, c.Result = true, ""
		case 2:
			c.Failed = true
		}
		c.Polling = c.Args == "3"
		h.Calls = append(h.Calls, c)
	}
	return withNext(h, data)
}

func withNext(h *agent.History, data []byte) *agent.History {
	if n := len(h.Calls); n > 0 {
		next := h.Calls[n-1]
		next.Result, next.Blocked, next.Failed = "", false, false
		h.Calls, h.Next = h.Calls[:n-1], &next
		h.SameInRun = 1
		for _, c := range h.Calls {
			if c.Same(&next) {
				h.SameInRun++
			}
		}
	}
	h.Calls = h.Calls[max(len(h.Calls)-29, 0):]
	h.Steps, h.MaxSteps, h.Failures = len(data), len(data)*2-20, len(data)%5
	h.Active, h.MaxDuration = time.Duration(len(data))*time.Second, 25*time.Second
	return h
}

// then is the history in which next was executed with a result and is asked
// for once more.
func then(before *agent.History, result string) *agent.History {
	h := *before
	done := *h.Next
	done.Result = result
	next := *h.Next
	next.N++
	next.Step++
	calls := append(append([]agent.CallRecord{}, h.Calls...), done)
	h.Calls, h.Next = calls[max(len(calls)-29, 0):], &next
	h.SameInRun++
	return &h
}

// lastResult is what the newest equal call returned.
func lastResult(h *agent.History) string {
	for i := len(h.Calls) - 1; i >= 0; i-- {
		if c := h.Calls[i]; c.Same(h.Next) && c.Result != "" {
			return c.Result
		}
	}
	return "1"
}

// FuzzDetectors checks every detector against what must be true of any history.
func FuzzDetectors(f *testing.F) {
	f.Add([]byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	f.Add([]byte{0, 1, 0, 1, 0, 1, 0, 1, 0, 1})
	f.Add([]byte("\x00\x10\x00\x10\x03\x03\x13\x03\x03\x03\x03\x03\x20\x20\x20\xa0\xa1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 200 {
			return
		}
		h := randomHistory(data)
		plain := *h
		run := &plain
		run.Next = nil
		for _, g := range All(agent.DefaultGuardSettings()) {
			sound(t, g, h)
			sound(t, g, run)
			switch g.(type) {
			case pingPong, cycle, similarRepeat:
				continue // more of one call is the end of what they look for
			}
			if h.Next == nil {
				continue
			}
			now, more := g.Check(h), g.Check(then(h, lastResult(h)))
			if more.Level < now.Level || more.Count < now.Count {
				t.Errorf("%s fell from %s at %d to %s at %d with one more of the same", g.Name(), now.Level, now.Count, more.Level, more.Count)
			}
			if held := g.Check(then(h, "")); held.Level < now.Level {
				t.Errorf("%s fell from %s to %s after a blocked call", g.Name(), now.Level, held.Level)
			}
		}
	})
}

// sound checks one verdict: the same twice, complete, and about the history.
func sound(t *testing.T, g agent.Guard, h *agent.History) {
	t.Helper()
	v := g.Check(h)
	if !reflect.DeepEqual(v, g.Check(h)) {
		t.Errorf("%s gives two verdicts of one history", g.Name())
	}
	if v.Level == agent.Pass {
		if !reflect.DeepEqual(v, agent.Verdict{}) {
			t.Errorf("%s passes and says something: %+v", g.Name(), v)
		}
		return
	}
	if v.Detector != g.Name() || v.Message == "" || v.Reason == "" || v.Count < v.Threshold || v.Threshold < 1 {
		t.Errorf("%s: the verdict lacks something: %+v", g.Name(), v)
	}
	if h.Next == nil {
		return
	}
	if v.Key == "" || len(v.Calls) == 0 || v.Calls[len(v.Calls)-1] != h.Next.N {
		t.Errorf("%s: the streak is not named: %+v", g.Name(), v)
	}
	for i := 1; i < len(v.Calls); i++ {
		if v.Calls[i] <= v.Calls[i-1] {
			t.Errorf("%s: the calls are out of order: %v", g.Name(), v.Calls)
		}
	}
}

// TestPassingAllocatesNothing: a run that works pays nothing for its guards.
func TestPassingAllocatesNothing(t *testing.T) {
	h := history(distinct(30, "read:%d=text")...)
	all := All(agent.DefaultGuardSettings())
	if n := testing.AllocsPerRun(100, func() {
		for _, g := range all {
			g.Check(h)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
