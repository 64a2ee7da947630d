package guards

import (
	"fmt"
	"time"

	"fusebox/agent"
)

// maxDuration bounds the running time of a run, waits for people left out: a
// warning at 80 % of guard.max_duration, the end at the limit.
type maxDuration struct{}

func (maxDuration) Name() string { return "max_duration" }

// Check implements agent.Guard.
func (g maxDuration) Check(h agent.History) agent.Verdict {
	if h.Next != nil || h.MaxDuration <= 0 {
		return agent.Verdict{}
	}
	v := agent.Verdict{
		Detector: g.Name(), Count: int(h.Active / time.Second),
		Threshold: int(h.MaxDuration / time.Second), Reason: agent.StopTimeout,
	}
	active := h.Active.Round(time.Second)
	switch {
	case h.Active >= h.MaxDuration:
		v.Level = agent.Stop
		v.Message = fmt.Sprintf("The run has worked for %s, its limit.", active)
	case h.Active >= h.MaxDuration/5*4:
		v.Level = agent.Warn
		v.Message = fmt.Sprintf("The run has worked for %s of %s.", active, h.MaxDuration)
	default:
		return agent.Verdict{}
	}
	return v
}
