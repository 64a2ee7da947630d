package guards

import (
	"fmt"

	"fusebox/agent"
)

// postCompaction catches what a model does when it has forgotten: after the
// context was compacted it makes a call from before again, gets the same result
// as before, and asks once more. It leaves alone calls that are new since, and
// those whose result has changed or before which something new was done since. Its number is guard.compaction_critical,
// counted from the compaction on.
type postCompaction struct{ pause int }

func (postCompaction) Name() string { return "post_compaction" }

func (g postCompaction) Check(h *agent.History) agent.Verdict {
	if h.Next == nil || h.Compacted == 0 || h.Next.Polling {
		return agent.Verdict{}
	}
	count, before := 1, ""
	for i := len(h.Calls) - 1; i >= 0; i-- {
		c := &h.Calls[i]
		if !c.Same(h.Next) && c.Progress && c.N > h.Compacted {
			return agent.Verdict{}
		}
		if !c.Same(h.Next) || c.Result == "" {
			continue
		}
		if before != "" && c.Result != before {
			return agent.Verdict{}
		}
		before = c.Result
		if c.N <= h.Compacted {
			return g.verdict(h, count)
		}
		count++
	}
	return agent.Verdict{}
}

func (g postCompaction) verdict(h *agent.History, count int) agent.Verdict {
	lvl, threshold := level(count, 0, later(g.pause, h.Allowed))
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: callKey(h.Next), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("%s was called %d times after the context was summarised, with the result that was known before.", h.Next.Tool, count),
		Calls:   numbers(h, h.Calls, h.Next.Same), Reason: agent.StopLoop,
	}
}
