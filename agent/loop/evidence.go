package loop

import "fusebox/agent"

// maxEvidenceText bounds each argument and result on an approval. The run's page has them in full.
const maxEvidenceText = 2048

// evidence shows a streak to a reviewer: its calls, or the text that repeats.
func (cs *calls) evidence(v agent.Verdict, others []agent.Verdict) agent.LoopEvidence {
	e := agent.LoopEvidence{
		Detector: v.Detector, Count: v.Count, Threshold: v.Threshold, Text: v.Excerpt, Rule: v.Rule,
		Also: []agent.AlsoTripped{}, Calls: []agent.EvidenceCall{},
	}
	for _, o := range others {
		e.Also = append(e.Also, agent.AlsoTripped{Detector: o.Detector, Count: o.Count, Message: o.Message})
	}
	for _, n := range v.Calls {
		if n < 1 || n > len(cs.list) {
			continue
		}
		c := cs.list[n-1]
		e.Calls = append(e.Calls, agent.EvidenceCall{
			N: n, ToolCallID: c.ID, ToolName: c.Name, Args: agent.RawArgs(clip(c.Args)), Result: clip(agent.OwnResult(c.Result)), Images: c.Images,
			Blocked: c.Blocked || !c.State.Ended(), Tokens: c.Tokens, CostMicros: c.CostMicros, At: c.StartedAt,
		})
	}
	return e
}

func clip(s string) string {
	if len(s) <= maxEvidenceText {
		return s
	}
	return string([]rune(s[:maxEvidenceText])) + "…"
}

// maxBefore is how many characters before a repetition are shown with it.
const maxBefore = 200

// endOf is the place behind a text.
func endOf(text string) *agent.TextPlace {
	all := []rune(text)
	return &agent.TextPlace{At: len(all), Before: string(all[max(len(all)-maxBefore, 0):])}
}

func guardEvent(v agent.Verdict, e agent.LoopEvidence) agent.GuardEvent {
	return agent.GuardEvent{
		Level: v.Level.String(), Detector: v.Detector, Count: v.Count, Message: v.Message, Evidence: agent.MustJSON(e),
	}
}
