package guards

import (
	"fmt"

	"fusebox/agent"
)

// breaker ends a run whose calls do not progress, whatever a person said
// before: at guard.breaker by the count of noProgress, and at guard.ceiling
// equal calls of the whole run, changed results or not. It leaves alone calls
// that repeat with changing results, polls among them, as long as they stay
// below the ceiling. What a person allows, or a rule of the tool, moves the
// breaker; the ceiling cannot be moved.
type breaker struct{ limit, ceiling int }

func (breaker) Name() string { return "global_circuit_breaker" }

// afterRule is how far behind a tool's own critical threshold the breaker
// stopped: as far as guard.breaker is above guard.critical.
const afterRule = 2

func (g breaker) Check(h *agent.History) agent.Verdict {
	if h.Next == nil {
		return agent.Verdict{}
	}
	if g.ceiling > 0 && h.SameInRun >= g.ceiling {
		return g.trip(h, h.SameInRun, g.ceiling, h.Calls, "%s was called %d times with the same arguments in one run, the limit for any run.")
	}
	limit := g.limit
	if h.Critical > 0 && limit > 0 {
		limit = max(limit, h.Critical+afterRule)
	}
	limit = later(limit, h.Allowed)
	count, streak := unchanged(h)
	if limit > 0 && count >= limit {
		return g.trip(h, count, limit, streak, "%s was called %d times with the same arguments and the same result.")
	}
	return agent.Verdict{}
}

func (g breaker) trip(h *agent.History, count, threshold int, streak []agent.CallRecord, text string) agent.Verdict {
	return agent.Verdict{
		Level: agent.Stop, Detector: g.Name(), Key: callKey(h.Next), Count: count, Threshold: threshold,
		Message: fmt.Sprintf(text, h.Next.Tool, count), Calls: numbers(h, streak, h.Next.Same), Reason: agent.StopLoop,
	}
}
