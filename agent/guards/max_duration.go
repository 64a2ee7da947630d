package guards

import (
	"fmt"
	"time"

	"fusebox/agent"
)

// maxDuration bounds the running time of a run; waits for people are no
// running time. It is asked before each model call, warns at 80 % of the run's
// limit and ends the run at the limit; a run without a limit it leaves alone.
// The limit is the run's own, guard.max_duration unless it was started with
// another. Counts and thresholds are seconds.
type maxDuration struct{}

func (maxDuration) Name() string { return "max_duration" }

func (g maxDuration) Check(h *agent.History) agent.Verdict {
	if h.Next != nil || h.MaxDuration <= 0 {
		return agent.Verdict{}
	}
	warn := h.MaxDuration - h.MaxDuration/5
	v := agent.Verdict{Detector: g.Name(), Count: seconds(h.Active), Reason: agent.StopTimeout}
	active := h.Active.Round(time.Second)
	switch {
	case h.Active >= h.MaxDuration:
		v.Level, v.Threshold = agent.Stop, seconds(h.MaxDuration)
		v.Message = fmt.Sprintf("The run has worked for %s, its limit.", active)
	case h.Active >= warn:
		v.Level, v.Threshold = agent.Warn, seconds(warn)
		left := (h.MaxDuration - h.Active).Round(time.Second)
		v.Message = fmt.Sprintf("The run has worked for %s of %s, so %s are left.", active, h.MaxDuration, left)
	default:
		return agent.Verdict{}
	}
	return v
}

func seconds(d time.Duration) int { return int(d / time.Second) }
