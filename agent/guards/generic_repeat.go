package guards

import (
	"fmt"

	"fusebox/agent"
)

// genericRepeat catches the same call in an unbroken row. It warns whatever the call
// returns; towards a pause, a success with a result that the call has not given before
// does not count if the call only looks: scrolling is work, but to order ten times is
// none, though each order has its own number. It leaves alone tools that declare themselves
// polling, and a row that any other call breaks: an edit between two builds is work.
// Its numbers are guard.warning and guard.critical.
type genericRepeat struct{ warn, pause int }

func (genericRepeat) Name() string { return "generic_repeat" }

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
	if lvl == agent.Pause && !h.Next.Acts && count-news(calls[first:]) < pause {
		lvl, threshold = level(count, warn, 0)
	}
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: callKey(h.Next), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("%s was called %d times in a row with the same arguments.", h.Next.Tool, count),
		Calls:   numbers(h, calls[first:], h.Next.Same), Reason: agent.StopLoop,
	}
}

// news counts the calls of a row, the first one aside, that succeeded with a result
// which the call had not given before.
func news(row []agent.CallRecord) (n int) {
	for i := range row {
		if c := &row[i]; i > 0 && c.Succeeded && c.Result != "" && !c.Repeats {
			n++
		}
	}
	return n
}
