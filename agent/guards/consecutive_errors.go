package guards

import (
	"fmt"
	"slices"

	"fusebox/agent"
)

// consecutiveErrors catches answers in a row whose tool calls all failed,
// whatever they called. Several failed calls of one answer count once; it
// leaves alone an answer of which one call succeeded, and starts again there.
// It warns one before guard.max_consecutive_errors, never at a single failure,
// and pauses there, and again after as many more where a person let it continue.
type consecutiveErrors struct{ pause int }

func (consecutiveErrors) Name() string { return "consecutive_errors" }

// Check implements agent.Guard.
func (g consecutiveErrors) Check(h *agent.History) agent.Verdict {
	if h.Next != nil {
		return agent.Verdict{}
	}
	warn := g.pause - 1
	if warn < 2 {
		warn = 0
	}
	lvl, threshold := level(h.Failures, warn, g.pause)
	if lvl == agent.Pass || (lvl == agent.Pause && h.Failures%g.pause != 0) {
		return agent.Verdict{}
	}
	calls, tool := failed(h)
	v := agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: streakKey(h, calls, g.pause), Count: h.Failures, Threshold: threshold, Calls: calls,
		Message: fmt.Sprintf("Tool calls failed %d times in a row.", h.Failures), Reason: agent.StopConsecutiveErrors,
	}
	if tool != "" {
		v.Message = fmt.Sprintf("%s failed %d times in a row.", tool, h.Failures)
	}
	return v
}

// streakKey names a row of failures by its first call, and by how often it has
// been long enough to pause.
func streakKey(h *agent.History, calls []int, pause int) string {
	first := 0
	if len(calls) > 0 {
		first = calls[0]
	}
	return fmt.Sprintf("from:%d:%d", first, h.Failures/max(pause, 1))
}

// failed lists the failed calls of the answers that h.Failures counts, oldest
// first, and their tool where all are of one. What a guard blocked never ran
// and is not a failure.
func failed(h *agent.History) (calls []int, tool string) {
	answers, step := 0, 0
	for i := len(h.Calls) - 1; i >= 0; i-- {
		c := h.Calls[i]
		if !c.Failed || c.Blocked {
			continue
		}
		if answers == 0 || c.Step != step {
			if answers == h.Failures {
				break
			}
			answers, step = answers+1, c.Step
		}
		switch {
		case len(calls) == 0:
			tool = c.Tool
		case tool != c.Tool:
			tool = ""
		}
		calls = append(calls, c.N)
	}
	slices.Reverse(calls)
	return calls, tool
}
