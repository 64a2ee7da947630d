package guards

import (
	"fmt"

	"fusebox/agent"
)

// maxSteps bounds the model calls of a run: a warning at 80 % of
// guard.max_steps, the end at the limit. It is asked before each model call.
type maxSteps struct{}

func (maxSteps) Name() string { return "max_steps" }

// Check implements agent.Guard.
func (g maxSteps) Check(h agent.History) agent.Verdict {
	if h.Next != nil || h.MaxSteps <= 0 {
		return agent.Verdict{}
	}
	v := agent.Verdict{Detector: g.Name(), Count: h.Steps, Threshold: h.MaxSteps, Reason: agent.StopMaxSteps}
	switch {
	case h.Steps >= h.MaxSteps:
		v.Level = agent.Stop
		v.Message = fmt.Sprintf("The run has made %d model calls, its limit.", h.Steps)
	case h.Steps*5 >= h.MaxSteps*4:
		v.Level = agent.Warn
		v.Message = fmt.Sprintf("The run has made %d of %d model calls.", h.Steps, h.MaxSteps)
	default:
		return agent.Verdict{}
	}
	return v
}
