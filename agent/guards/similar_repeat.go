package guards

import (
	"fmt"

	"fusebox/agent"
)

// similarRepeat catches one tool that is asked nearly the same again and again
// within the window: arguments that differ only in numbers, dates, ids, white
// space or letter case (agent.FingerprintShape), with the same result; or any
// arguments with the same error. Other calls may come in between, but none of another
// tool that did something new. It leaves alone polling tools, calls whose arguments are
// all equal, which noProgress judges, tasks that are handed over, which idleDelegation judges,
// and writing tools that succeed: forty different files that are all answered with "ok" are
// forty pieces of work. Its numbers are
// guard.similar_warning and guard.similar_critical.
type similarRepeat struct{ warn, pause int }

func (similarRepeat) Name() string { return "similar_repeat" }

func (g similarRepeat) Check(h *agent.History) agent.Verdict {
	if h.Next == nil || h.Next.Polling {
		return agent.Verdict{}
	}
	warn, pause := moved(h, g.warn, g.pause)
	calls := h.Recent()
	what, key := "with nearly identical arguments, and the result did not change", h.Next.Shape
	count, first := 0, 0
	if !h.Next.Writes && h.Next.Delegation == nil {
		count, first = similar(h, calls, false)
	}
	if n, from := similar(h, calls, true); n > count {
		what, key = "with different arguments and failed in the same way each time", "error"
		count, first = n, from
	}
	lvl, threshold := level(count, warn, pause)
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	failing := key == "error"
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: h.Next.Tool + ":" + key, Count: count, Threshold: threshold,
		Message: fmt.Sprintf("%s was called %d times %s.", h.Next.Tool, count, what), Reason: agent.StopLoop,
		Calls: numbers(h, calls[first:], func(c *agent.CallRecord) bool { return alike(h, c, failing) }),
	}
}

// similar counts the calls like Next, Next included, back to the newest change
// of their result, and returns the index of the oldest. Calls that are all
// equal are no such streak. failing counts all calls of the tool back to the
// newest that did not fail.
func similar(h *agent.History, calls []agent.CallRecord, failing bool) (count, first int) {
	count, first = 1, len(calls)
	result, varied := "", false
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		if !alike(h, c, failing) || pending(h, c) {
			if c.Progress && c.Tool != h.Next.Tool {
				break
			}
			continue
		}
		if !kept(c.Result, result) || (failing && !c.Failed && !c.Blocked) {
			break
		}
		if c.Result != "" {
			result = c.Result
		}
		varied = varied || c.Args != h.Next.Args
		count, first = count+1, i
	}
	if !varied {
		return 0, first
	}
	return count, first
}

// pending reports whether a call is of Next's own answer and has not run yet: it has
// no result that could be the same.
func pending(h *agent.History, c *agent.CallRecord) bool {
	return c.Step == h.Next.Step && c.Result == "" && !c.Blocked && !c.Same(h.Next)
}

// alike reports whether a call is of Next's tool and, unless only their errors
// count, of its shape.
func alike(h *agent.History, c *agent.CallRecord, failing bool) bool {
	return c.Tool == h.Next.Tool && (failing || c.Shape == h.Next.Shape)
}
