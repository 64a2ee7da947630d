package loop

import "fusebox/agent"

// trace is everything in an assessment, as it is kept.
func (b *breakers) trace(a agent.Assessment, c *agent.ToolCall) (trace []agent.VerdictRecord) {
	if a.Worst.Level > agent.Pass {
		trace = append(trace, b.verdictRecord(a.Worst, c, false))
	}
	for _, v := range a.Others {
		trace = append(trace, b.verdictRecord(v, c, false))
	}
	for _, v := range a.Muted {
		trace = append(trace, b.verdictRecord(v, c, true))
	}
	for _, v := range a.Spared {
		v.Message = v.Spared
		trace = append(trace, b.verdictRecord(v, c, false))
	}
	return trace
}

func (b *breakers) verdictRecord(v agent.Verdict, c *agent.ToolCall, off bool) agent.VerdictRecord {
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
	if v.Level >= agent.Pause {
		r.SavedTokens, r.SavedMicros = saved(b.run)
	}
	return r
}

// saved estimates what a run would still have taken: what its steps took on average, times
// the steps that its limit leaves, and no more than its other limits leave.
func saved(r agent.Run) (tokens, micros int64) {
	if r.Steps == 0 {
		return 0, 0
	}
	left := float64(max(r.Limits.Steps-r.Steps, 0)) / float64(r.Steps)
	used := r.Usage.Total()
	if r.Limits.Tokens > 0 && used > 0 {
		left = min(left, float64(max(r.Limits.Tokens-used, 0))/float64(used))
	}
	if r.Limits.CostMicros > 0 && r.CostMicros > 0 {
		left = min(left, float64(max(r.Limits.CostMicros-r.CostMicros, 0))/float64(r.CostMicros))
	}
	return int64(float64(used) * left), int64(float64(r.CostMicros) * left)
}
