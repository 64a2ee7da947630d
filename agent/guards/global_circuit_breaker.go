package guards

import (
	"fmt"

	"fusebox/agent"
)

// breaker ends a run whose calls do not progress, whatever a person said
// before: at guard.breaker by the count of noProgress, and at guard.ceiling
// equal calls of the whole run, changed results or not. It leaves alone calls
// that repeat with changing results, polls among them, as long as they stay
// below the ceiling. Nobody lifts the ceiling.
type breaker struct{ limit, ceiling int }

func (breaker) Name() string { return "global_circuit_breaker" }

// Check implements agent.Guard.
func (g breaker) Check(h agent.History) agent.Verdict {
	if h.Next == nil {
		return agent.Verdict{}
	}
	if g.ceiling > 0 && h.SameInRun >= g.ceiling {
		return g.trip(h, h.SameInRun, g.ceiling, 0, "%s was called %d times with the same arguments in one run, the ceiling of every run.")
	}
	count, first := unchanged(h)
	if g.limit > 0 && count >= g.limit {
		return g.trip(h, count, g.limit, first, "%s was called %d times with the same arguments and the same result.")
	}
	return agent.Verdict{}
}

func (g breaker) trip(h agent.History, count, threshold, first int, text string) agent.Verdict {
	return agent.Verdict{
		Level: agent.Stop, Detector: g.Name(), Key: callKey(*h.Next), Count: count, Threshold: threshold,
		Message: fmt.Sprintf(text, h.Next.Tool, count), Calls: numbers(h, first, h.Next.Same), Reason: agent.StopLoop,
	}
}
