package loop

import "fusebox/agent"

// note adds everything in an assessment to a change's trace.
func (b *breakers) note(e *agent.Change, a agent.Assessment, c *agent.ToolCall) {
	if a.Worst.Level > agent.Pass {
		b.noteOne(e, a.Worst, c, false)
	}
	for _, v := range a.Others {
		b.noteOne(e, v, c, false)
	}
	for _, v := range a.Muted {
		b.noteOne(e, v, c, true)
	}
	for _, v := range a.Spared {
		v.Message = v.Spared
		b.noteOne(e, v, c, false)
	}
}

func (b *breakers) noteOne(e *agent.Change, v agent.Verdict, c *agent.ToolCall, off bool) {
	r := agent.VerdictRecord{
		ID: b.newID(), RunID: b.run.ID, ConversationID: b.conv.ID, Step: b.run.Steps, Detector: v.Detector,
		Level: v.Level.String(), Off: off, Count: v.Count, Threshold: v.Threshold, Message: v.Message,
		Calls: v.Calls, At: b.now(),
	}
	if c != nil {
		r.CallID, r.Tool = c.ID, c.Name
	}
	for _, n := range v.Calls {
		if n >= 1 && n <= len(b.calls.list) {
			r.Tokens += b.calls.list[n-1].Tokens
			r.CostMicros += b.calls.list[n-1].CostMicros
		}
	}
	if v.Level >= agent.Pause && b.run.Steps > 0 {
		left := int64(max(b.run.Limits.Steps-b.run.Steps, 0))
		r.SavedTokens = b.run.Usage.Total() / int64(b.run.Steps) * left
		r.SavedMicros = b.run.CostMicros / int64(b.run.Steps) * left
	}
	e.Verdicts = append(e.Verdicts, r)
}
