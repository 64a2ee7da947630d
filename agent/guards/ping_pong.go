package guards

import (
	"fmt"

	"fusebox/agent"
)

// pingPong catches two calls that alternate strictly, A B A B. With results
// that stay the same it pauses; with changing results it only warns, because
// edit and build alternate too. Its numbers are guard.warning and
// guard.critical, counted in calls.
type pingPong struct{ warn, pause int }

func (pingPong) Name() string { return "ping_pong" }

// Check implements agent.Guard.
func (g pingPong) Check(h agent.History) agent.Verdict {
	if h.Next == nil || len(h.Calls) == 0 {
		return agent.Verdict{}
	}
	other := h.Calls[len(h.Calls)-1]
	if other.Same(*h.Next) {
		return agent.Verdict{}
	}
	count, steady := alternation(h, other)
	pause := g.pause
	if !steady {
		pause = 0
	}
	lvl, threshold := level(count, g.warn, pause)
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	what := "and nothing changed"
	if !steady {
		what = "with changing results"
	}
	all := func(agent.CallRecord) bool { return true }
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: pairKey(*h.Next, other), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("%s took turns for %d calls with the same arguments, %s.", pair(other.Tool, h.Next.Tool), count, what),
		Calls:   numbers(h, len(h.Calls)-count+1, all), Reason: agent.StopLoop,
	}
}

// alternation counts how far back, Next included, the calls alternate between
// Next and other, and whether each of the two always had the same result. A
// blocked call has no result and changes nothing.
func alternation(h agent.History, other agent.CallRecord) (count int, steady bool) {
	count, steady = 1, true
	var results [2]string // of Next's kind, of other's kind
	for i := len(h.Calls) - 1; i >= 0; i-- {
		c, kind := h.Calls[i], (len(h.Calls)-i)%2
		want := *h.Next
		if kind == 1 {
			want = other
		}
		if !c.Same(want) {
			break
		}
		count++
		if c.Result != "" {
			steady = steady && (results[kind] == "" || results[kind] == c.Result)
			results[kind] = c.Result
		}
	}
	return count, steady
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
