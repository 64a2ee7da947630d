package guards

import "fusebox/agent"

// All returns the detectors in the order in which they speak when several are
// equally severe: the breakers first, then the most specific.
func All(s agent.GuardSettings) []agent.Guard {
	return []agent.Guard{
		breaker{limit: s.Breaker, ceiling: s.Ceiling},
		genericRepeat{warn: s.Warning, pause: s.Critical},
		noProgress{warn: s.Warning, pause: s.Critical},
		pingPong{warn: s.Warning, pause: s.Critical},
		maxSteps{},
		maxDuration{},
		consecutiveErrors{pause: s.MaxConsecutiveErrors},
	}
}

// level places a count between two thresholds; 0 switches one off.
func level(count, warn, pause int) (agent.Level, int) {
	switch {
	case pause > 0 && count >= pause:
		return agent.Pause, pause
	case warn > 0 && count >= warn:
		return agent.Warn, warn
	default:
		return agent.Pass, 0
	}
}

// callKey names the streak of one call.
func callKey(c agent.CallRecord) string { return c.Tool + ":" + c.Args }

// numbers lists the positions of the records that match, oldest first, Next last.
func numbers(h agent.History, from int, match func(agent.CallRecord) bool) []int {
	var ns []int
	for _, c := range h.Calls[from:] {
		if match(c) {
			ns = append(ns, c.N)
		}
	}
	return append(ns, h.Next.N)
}
