package guards

import (
	"fmt"

	"fusebox/agent"
)

// noProgress catches the same call with the same result, also when other calls
// stand between. It is the only detector that judges polling tools: a poll
// whose answer changes is progress and starts the count anew. A call that was
// blocked has no result and counts, so that blocking never looks like
// progress. Its numbers are guard.warning and guard.critical, its reach is
// guard.window.
type noProgress struct{ warn, pause int }

func (noProgress) Name() string { return "no_progress" }

// Check implements agent.Guard.
func (g noProgress) Check(h agent.History) agent.Verdict {
	if h.Next == nil {
		return agent.Verdict{}
	}
	count, first := unchanged(h)
	lvl, threshold := level(count, g.warn, g.pause)
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: callKey(*h.Next), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("%s was called %d times with the same arguments, and the result did not change.", h.Next.Tool, count),
		Calls:   numbers(h, first, h.Next.Same), Reason: agent.StopLoop,
	}
}

// unchanged counts the calls equal to Next, Next included, back to the last
// change of their result, and returns the index of the oldest of them.
func unchanged(h agent.History) (count, first int) {
	count, first = 1, len(h.Calls)
	result := ""
	for i := len(h.Calls) - 1; i >= 0; i-- {
		c := &h.Calls[i]
		if !c.Same(*h.Next) {
			continue
		}
		if c.Result != "" {
			if result != "" && c.Result != result {
				return count, first
			}
			result = c.Result
		}
		count, first = count+1, i
	}
	return count, first
}
