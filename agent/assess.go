package agent

// maxEvidenceText bounds each argument and result on a card; the whole stands in the run.
const maxEvidenceText = 2048

// assess asks all guards about the run, or about the call that is to be
// executed next, and notes in r how far each streak has come.
func (f *flight) assess(next *ToolCall, r *Run) Assessment {
	return Assess(f.guards.list, f.guards.settings.Off, &r.State.Trips, f.history(next))
}

// remind puts a warning into the next model request.
func remind(r *Run, text string) {
	r.State.Reminders = append(r.State.Reminders, text)
}

// evidence shows a streak to a reviewer: its calls, or the text that repeats.
func (f *flight) evidence(v Verdict, others []Verdict) LoopEvidence {
	e := LoopEvidence{
		Detector: v.Detector, Count: v.Count, Threshold: v.Threshold, Text: v.Excerpt,
		Also: []AlsoTripped{}, Calls: []EvidenceCall{},
	}
	for _, o := range others {
		e.Also = append(e.Also, AlsoTripped{Detector: o.Detector, Count: o.Count, Message: o.Message})
	}
	for _, n := range v.Calls {
		if n < 1 || n > len(f.calls) {
			continue
		}
		c := f.calls[n-1]
		e.Calls = append(e.Calls, EvidenceCall{
			N: n, ToolCallID: c.ID, ToolName: c.Name, Args: rawArgs(clip(c.Args)), Result: clip(c.Result),
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

func guardEvent(v Verdict, e LoopEvidence) GuardEvent {
	return GuardEvent{
		Level: v.Level.String(), Detector: v.Detector, Count: v.Count, Message: v.Message, Evidence: mustJSON(e),
	}
}
