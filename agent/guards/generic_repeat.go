package guards

import (
	"fmt"

	"fusebox/agent"
)

// genericRepeat catches the same call in an unbroken row, whatever it returns.
// It leaves alone tools that declare themselves polling, and a row that any
// other call breaks: an edit between two builds is work. Its numbers are
// guard.warning and guard.critical.
type genericRepeat struct{ warn, pause int }

func (genericRepeat) Name() string { return "generic_repeat" }

// Check implements agent.Guard.
func (g genericRepeat) Check(h *agent.History) agent.Verdict {
	if h.Next == nil || h.Next.Polling {
		return agent.Verdict{}
	}
	calls := h.Recent()
	first := len(calls)
	for first > 0 && calls[first-1].Same(h.Next) {
		first--
	}
	count := len(calls) - first + 1
	warn, pause := moved(h, g.warn, g.pause)
	lvl, threshold := level(count, warn, pause)
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: callKey(h.Next), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("%s was called %d times in a row with the same arguments.", h.Next.Tool, count),
		Calls:   numbers(h, calls[first:], h.Next.Same), Reason: agent.StopLoop,
	}
}
