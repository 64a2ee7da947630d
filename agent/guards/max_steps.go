package guards

import (
	"fmt"

	"fusebox/agent"
)

// maxSteps bounds the model calls of a run, whatever they achieve. It is asked
// before each model call, warns at 80 % of the run's limit, rounded up, and
// ends the run at the limit; a run without a limit it leaves alone. The limit
// is the run's own, guard.max_steps unless it was started with another.
type maxSteps struct{}

func (maxSteps) Name() string { return "max_steps" }

func (g maxSteps) Check(h *agent.History) agent.Verdict {
	if h.Next != nil || h.MaxSteps <= 0 {
		return agent.Verdict{}
	}
	warn := h.MaxSteps - h.MaxSteps/5
	v := agent.Verdict{Detector: g.Name(), Count: h.Steps, Reason: agent.StopMaxSteps}
	switch {
	case h.Steps >= h.MaxSteps:
		v.Level, v.Threshold = agent.Stop, h.MaxSteps
		v.Message = fmt.Sprintf("The run has made %d model calls, its limit.", h.Steps)
	case h.Steps >= warn:
		v.Level, v.Threshold = agent.Warn, warn
		v.Message = fmt.Sprintf("The run has made %d of %d model calls, so %d are left.", h.Steps, h.MaxSteps, h.MaxSteps-h.Steps)
	default:
		return agent.Verdict{}
	}
	return v
}
