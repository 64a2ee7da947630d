package loop

import (
	"fusebox/agent"
)

// verdicts adds everything that an assessment holds to an entry's trace.
func (f *execution) verdicts(e *agent.Entry, a agent.Assessment, c *agent.ToolCall) {
	if a.Worst.Level > agent.Pass {
		f.record(e, a.Worst, c, false)
	}
	for _, v := range a.Others {
		f.record(e, v, c, false)
	}
	for _, v := range a.Muted {
		f.record(e, v, c, true)
	}
	for _, v := range a.Spared {
		v.Message = v.Spared
		f.record(e, v, c, false)
	}
}

func (f *execution) record(e *agent.Entry, v agent.Verdict, c *agent.ToolCall, off bool) {
	r := agent.VerdictRecord{
		ID: f.NewID(), RunID: f.run.ID, ConversationID: f.conv.ID, Step: f.run.Steps, Detector: v.Detector,
		Level: v.Level.String(), Off: off, Count: v.Count, Threshold: v.Threshold, Message: v.Message,
		Calls: v.Calls, At: f.now(),
	}
	if c != nil {
		r.CallID, r.Tool = c.ID, c.Name
	}
	for _, n := range v.Calls {
		if n >= 1 && n <= len(f.calls) {
			r.Tokens += f.calls[n-1].Tokens
			r.CostMicros += f.calls[n-1].CostMicros
		}
	}
	if v.Level >= agent.Pause && f.run.Steps > 0 {
		left := int64(max(f.run.Limits.Steps-f.run.Steps, 0))
		r.SavedTokens = f.run.Usage.Total() / int64(f.run.Steps) * left
		r.SavedMicros = f.run.CostMicros / int64(f.run.Steps) * left
	}
	e.Verdicts = append(e.Verdicts, r)
}
