package guards

import (
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
)

// pingPong catches two calls that alternate strictly, A B A B. It pauses where
// both kept their results over the last calls, also when they changed before
// that: a repair that got stuck is stuck. With changing results it only warns,
// because edit and build alternate too. It leaves alone polling tools, which
// noProgress judges, and an alternation that any third call breaks, which cycle
// judges. Its numbers are guard.warning and guard.critical, counted in calls.
type pingPong struct{ warn, pause int }

func (pingPong) Name() string { return "ping_pong" }

func (g pingPong) Check(h *agent.History) agent.Verdict {
	calls := h.Recent()
	if h.Next == nil || len(calls) == 0 {
		return agent.Verdict{}
	}
	other := &calls[len(calls)-1]
	if h.Next.Polling || other.Polling || other.Same(h.Next) {
		return agent.Verdict{}
	}
	total, count := alternation(h.Next, other, calls)
	what := "and nothing changed"
	warn, pause := later(g.warn, h.Allowed), later(g.pause, h.Allowed)
	lvl, threshold := level(count, warn, pause)
	if lvl != agent.Pause && total > count {
		what = "with changing results"
		count = total
		lvl, threshold = level(count, warn, 0)
	}
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	all := func(*agent.CallRecord) bool { return true }
	x, y := callKey(h.Next), callKey(other)
	tools := strings.Join(slices.Compact([]string{other.Tool, h.Next.Tool}), ", ")
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: min(x, y) + "|" + max(x, y), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("The same two calls (%s) alternated, %d calls in all, %s.", tools, count, what),
		Calls:   numbers(h, calls[len(calls)-count+1:], all), Reason: agent.StopLoop,
	}
}

// alternation counts how far back, next included, the calls alternate between
// next and other: in total, and as far as each of the two kept its result.
func alternation(next, other *agent.CallRecord, calls []agent.CallRecord) (total, steady int) {
	total, steady = 1, 1
	var results [2]string // of next's kind, of other's kind
	for i := len(calls) - 1; i >= 0; i-- {
		c, kind := &calls[i], (len(calls)-i)%2
		want := next
		if kind == 1 {
			want = other
		}
		if !c.Same(want) {
			break
		}
		if kept(c.Result, results[kind]) && steady == total {
			steady++
		}
		if c.Result != "" {
			results[kind] = c.Result
		}
		total++
	}
	return total, steady
}
