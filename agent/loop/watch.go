package loop

import (
	"math"
	"slices"
	"strings"

	"fusebox/agent"
)

// streamCut ends a stream that a guard does not want to go on.
type streamCut struct{ verdict agent.Verdict }

func (c *streamCut) Error() string { return "the stream was cut: " + c.verdict.Message }

// newDraft is the draft of a message of which nothing was streamed yet.
func (f *execution) newDraft() draft {
	return draft{onText: f.Streams(f.guards.settings)}
}

// watch shows a delta to the guards of the stream and cuts it where one trips.
func (f *execution) watch(d agent.Delta) error {
	var v agent.Verdict
	switch d.Kind {
	case agent.DeltaText:
		f.draft.onReasoning = nil // it is over: what it held is free
		v = f.hear(f.draft.onText, d.Text)
	case agent.DeltaReasoning:
		if f.draft.onReasoning == nil {
			f.draft.onReasoning = f.Streams(f.guards.settings)
		}
		if v = f.hear(f.draft.onReasoning, d.Text); v.Level > agent.Pass {
			v.Keep = math.MaxInt // it is the reasoning that repeats: all of the text stays
		}
	case agent.DeltaCallStart:
		for _, g := range slices.Concat(f.draft.onText, f.draft.onReasoning) {
			g.Reset()
		}
	}
	if v.Level == agent.Pass {
		return nil
	}
	return &streamCut{verdict: v}
}

// hear asks the guards of one stream. One that is switched off is noted only.
func (f *execution) hear(guards []agent.StreamGuard, text string) agent.Verdict {
	var worst agent.Verdict
	for _, g := range guards {
		v := g.Write(text)
		switch {
		case v.Level == agent.Pass:
		case slices.Contains(f.guards.settings.Off, g.Name()):
			f.draft.muted = append(f.draft.muted, v)
		case v.Level > worst.Level:
			worst = v
		}
	}
	return worst
}

// saveCut stores what stands before a repetition as the answer, settles what
// the call took (estimated where the provider has not said), and asks a person
// how to go on. Calls that were half announced are void.
func (f *execution) saveCut(v agent.Verdict, comp agent.Completion) error {
	if comp.Usage == (agent.Usage{}) {
		comp.Usage = f.estimate()
	}
	e := agent.Entry{Run: f.with(agent.StatusRunning)}
	id := e.Run.State.DraftID
	text := f.draft.text.String()
	kept := text[:min(max(v.Keep, 0), len(text))]
	e.Events = events(agent.MessageReset{ID: id})
	if strings.TrimSpace(kept) != "" {
		m := agent.Message{
			ID: id, ConversationID: f.conv.ID, ParentID: f.last().ID, Role: agent.FromAssistant, Content: kept,
			RunID: f.run.ID, Usage: &comp.Usage, CreatedAt: f.now(),
		}
		e.Messages = []agent.Message{m}
		e.Events = append(e.Events, events(agent.TextDelta{ID: id, Delta: kept}, agent.MessageEvent{Message: m})...)
	}
	comp.FinishReason, comp.Calls = "cut", nil
	f.settleUsage(&e, comp)
	e.Run.State.DraftID, e.Run.State.Unfinished = "", true
	e.Run.State.Reminders = []string{f.Reminder(v, "")}
	f.verdicts(&e, agent.Assessment{Worst: v, Muted: f.draft.muted}, nil)
	ev := f.evidence(v, nil)
	e.Events = append(e.Events, events(guardEvent(v, ev))...)
	f.addApproval(&e, f.loopApproval(v, ev, nil))
	return f.commit(e)
}
