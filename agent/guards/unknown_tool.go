package guards

import (
	"fmt"

	"fusebox/agent"
)

// unknownTool catches calls to tools that do not exist, whatever their names
// and wherever in the run: a model that made up one tool makes up the next. It
// leaves alone wrong arguments for tools that do exist. Its numbers are
// guard.unknown_warning and guard.unknown_critical.
type unknownTool struct{ warn, pause int }

func (unknownTool) Name() string { return "unknown_tool" }

func (g unknownTool) Check(h *agent.History) agent.Verdict {
	if h.Next == nil || !h.Next.Unknown {
		return agent.Verdict{}
	}
	lvl, threshold := level(h.Unknown, later(g.warn, h.Allowed), later(g.pause, h.Allowed))
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	unknown := func(c *agent.CallRecord) bool { return c.Unknown }
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: "unknown", Count: h.Unknown, Threshold: threshold,
		Message: fmt.Sprintf("Tools that do not exist were called %d times, now %s.", h.Unknown, h.Next.Tool),
		Calls:   numbers(h, h.Calls, unknown), Reason: agent.StopLoop,
	}
}
