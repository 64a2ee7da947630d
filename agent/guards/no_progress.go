package guards

import (
	"fmt"

	"fusebox/agent"
)

// noProgress catches the same call with the same result within the window,
// whatever is looked at in between. It is the only detector that judges polling tools,
// and leaves alone calls whose result changed since, and calls between which something
// new was done: it counts from the newest change on. Its numbers are guard.warning and
// guard.critical.
type noProgress struct{ warn, pause int }

func (noProgress) Name() string { return "no_progress" }

func (g noProgress) Check(h *agent.History) agent.Verdict {
	if h.Next == nil {
		return agent.Verdict{}
	}
	warn, pause := moved(h, g.warn, g.pause)
	count, streak := unchanged(h)
	lvl, threshold := level(count, warn, pause)
	if lvl == agent.Pass {
		return g.spared(h, count, warn)
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: callKey(h.Next), Count: count, Threshold: threshold,
		Message: fmt.Sprintf("%s was called %d times with the same arguments, and the result did not change.", h.Next.Tool, count),
		Calls:   numbers(h, streak, h.Next.Same), Reason: agent.StopLoop,
	}
}

// spared says why as many equal calls as would warn did not: their result changed, or
// something new was done in between.
func (g noProgress) spared(h *agent.History, count, warn int) agent.Verdict {
	if h.SameInRun != warn || count >= warn {
		return agent.Verdict{}
	}
	calls := h.Recent()
	changed, done, result := 0, 0, ""
	for i := range calls {
		switch c := &calls[i]; {
		case !c.Same(h.Next):
			if c.Progress {
				done = c.N
			}
		case c.Result != "":
			if result != "" && c.Result != result {
				changed = c.N
			}
			result = c.Result
		}
	}
	sentence := "%d identical calls of %s, but the result changed, last at call %d."
	if done > changed {
		changed, sentence = done, "%d identical calls of %s, but something was changed in between, last at call %d."
	}
	if changed == 0 {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Detector: g.Name(), Key: callKey(h.Next), Count: h.SameInRun, Threshold: warn,
		Spared: fmt.Sprintf(sentence, h.SameInRun, h.Next.Tool, changed),
		Calls:  numbers(h, calls, h.Next.Same),
	}
}

// unchanged counts the calls equal to Next, Next included, back to the newest
// change of their result or the newest call in between that did something new, and
// returns the part of the window that they span.
func unchanged(h *agent.History) (count int, streak []agent.CallRecord) {
	calls := h.Recent()
	count, first := 1, len(calls)
	result := ""
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		if !c.Same(h.Next) {
			if c.Progress {
				break
			}
			continue
		}
		if !kept(c.Result, result) {
			break
		}
		if c.Result != "" {
			result = c.Result
		}
		count, first = count+1, i
	}
	return count, calls[first:]
}
