package guards

import (
	"fmt"

	"fusebox/agent"
)

// pingPong catches two calls that alternate strictly, A B A B. It pauses where
// both kept their results over the last calls, also when they changed before
// that: a repair that got stuck is stuck. With changing results it only warns,
// because edit and build alternate too. It leaves alone polling tools, which
// noProgress judges, and an alternation that any third call breaks. Its
// numbers are guard.warning and guard.critical, counted in calls.
type pingPong struct{ warn, pause int }

func (pingPong) Name() string { return "ping_pong" }

// Check implements agent.Guard.
func (g pingPong) Check(h agent.History) agent.Verdict {
	if h.Next == nil || len(h.Calls) == 0 {
		return agent.Verdict{}
	}
	other := h.Calls[len(h.Calls)-1]
	if h.Next.Polling || other.Polling || other.Same(*h.Next) {
		return agent.Verdict{}
	}
	total, count := alternation(h, other)
	what := "and nothing changed"
	lvl, threshold := level(count, g.warn, g.pause)
	if lvl != agent.Pause && total > count {
		what = "with changing results"
		count = total
		lvl, threshold = level(count, g.warn, 0)
	}
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	all := func(agent.CallRecord) bool { return true }
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: pairKey(*h.Next, other), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("%s took turns for %d calls with the same arguments, %s.", pair(other.Tool, h.Next.Tool), count, what),
		Calls:   numbers(h, len(h.Calls)-count+1, all), Reason: agent.StopLoop,
	}
}

// alternation counts how far back, Next included, the calls alternate between
// Next and other: in total, and as far as each of the two kept its result. A
// blocked call has no result and changes nothing.
func alternation(h agent.History, other agent.CallRecord) (total, steady int) {
	total, steady = 1, 1
	var results [2]string // of Next's kind, of other's kind
	for i := len(h.Calls) - 1; i >= 0; i-- {
		c, kind := &h.Calls[i], (len(h.Calls)-i)%2
		want := h.Next
		if kind == 1 {
			want = &other
		}
		if !c.Same(*want) {
			break
		}
		kept := c.Result == "" || results[kind] == "" || results[kind] == c.Result
		if kept && steady == total {
			steady++
		}
		if c.Result != "" {
			results[kind] = c.Result
		}
		total++
	}
	return total, steady
}

// pair names the two calls for people.
func pair(a, b string) string {
	if a == b {
		return "Two calls of " + a
	}
	return a + " and " + b
}

// pairKey is the same whichever of the two comes next.
func pairKey(a, b agent.CallRecord) string {
	x, y := callKey(a), callKey(b)
	if x > y {
		x, y = y, x
	}
	return x + "|" + y
}
