package guards

import (
	"fmt"

	"fusebox/agent"
)

// consecutiveErrors catches answers in a row whose tool calls all failed.
// Several failed calls of one answer count once, one success starts the count
// anew. It warns one before guard.max_consecutive_errors and pauses there.
type consecutiveErrors struct{ pause int }

func (consecutiveErrors) Name() string { return "consecutive_errors" }

// Check implements agent.Guard.
func (g consecutiveErrors) Check(h agent.History) agent.Verdict {
	if h.Next != nil {
		return agent.Verdict{}
	}
	warn := g.pause - 1
	if warn < 2 {
		warn = 0
	}
	lvl, threshold := level(h.Failures, warn, g.pause)
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	v := agent.Verdict{
		Level: lvl, Detector: g.Name(), Count: h.Failures, Threshold: threshold, Reason: agent.StopConsecutiveErrors,
		Message: fmt.Sprintf("Tool calls failed %d times in a row.", h.Failures),
	}
	for _, c := range h.Calls[max(len(h.Calls)-h.Failures, 0):] {
		v.Calls = append(v.Calls, c.N)
	}
	return v
}
