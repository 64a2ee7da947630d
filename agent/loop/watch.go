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

// streamWatch are the guards that read a message along while it is streamed:
// those of the text, and those of the reasoning.
type streamWatch struct {
	make                func() []agent.StreamGuard
	off                 []string // guards that are switched off
	onText, onReasoning []agent.StreamGuard
	muted               []agent.Verdict // of guards that are switched off
}

// read shows a delta to the guards of the stream and cuts it where one trips.
func (w *streamWatch) read(d agent.Delta) error {
	var v agent.Verdict
	switch d.Kind {
	case agent.DeltaText:
		w.onReasoning = nil // it is over: what it held is free
		v = w.hear(w.onText, d.Text)
	case agent.DeltaReasoning:
		if w.onReasoning == nil {
			w.onReasoning = w.make()
		}
		if v = w.hear(w.onReasoning, d.Text); v.Level > agent.Pass {
			v.Keep = math.MaxInt // it is the reasoning that repeats: all of the text stays
		}
	case agent.DeltaCallStart:
		for _, g := range slices.Concat(w.onText, w.onReasoning) {
			g.Reset()
		}
	}
	if v.Level == agent.Pass {
		return nil
	}
	return &streamCut{verdict: v}
}

// hear asks the guards of one stream. One that is switched off is noted only.
func (w *streamWatch) hear(guards []agent.StreamGuard, text string) agent.Verdict {
	var worst agent.Verdict
	for _, g := range guards {
		v := g.Write(text)
		switch {
		case v.Level == agent.Pass:
		case slices.Contains(w.off, g.Name()):
			w.muted = append(w.muted, v)
		case v.Level > worst.Level:
			worst = v
		}
	}
	return worst
}

// saveCut stores what stands before a repetition as the answer, settles what
// the call took (estimated where the provider has not said), and asks a person
// how to go on. Calls that were half announced are void.
func (x *execution) saveCut(v agent.Verdict, comp agent.Completion) error {
	if comp.Usage == (agent.Usage{}) {
		comp.Usage = x.estimate()
	}
	e := agent.Entry{Run: x.with(agent.StatusRunning)}
	id := e.Run.State.DraftID
	text := x.draft.text.String()
	kept := text[:min(max(v.Keep, 0), len(text))]
	e.Events = events(agent.MessageReset{ID: id})
	if strings.TrimSpace(kept) != "" {
		m := agent.Message{
			ID: id, ConversationID: x.conv.ID, ParentID: x.transcript.last().ID, Role: agent.FromAssistant, Content: kept,
			RunID: x.run.ID, Usage: &comp.Usage, CreatedAt: x.now(),
		}
		e.Messages = []agent.Message{m}
		e.Events = append(e.Events, events(agent.TextDelta{ID: id, Delta: kept}, agent.MessageEvent{Message: m})...)
	}
	comp.FinishReason, comp.Calls = "cut", nil
	x.account.settleAnswer(&e, comp)
	e.Run.State.DraftID, e.Run.State.Unfinished = "", true
	e.Run.State.Reminders = []string{x.Reminder(v, "")}
	x.breakers.note(&e, agent.Assessment{Worst: v, Muted: x.draft.watch.muted}, nil)
	ev := x.calls.evidence(v, nil)
	e.Events = append(e.Events, events(guardEvent(v, ev))...)
	x.requests.add(&e, x.requests.aboutLoop(v, ev, nil))
	return x.commit(e)
}
