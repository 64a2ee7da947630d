package loop

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

// streamFrame is how often streamed text becomes an event: once a screen frame.
const streamFrame = 16 * time.Millisecond

// messageStream takes the deltas of one answer. It puts their text into the
// portions of the output mode, notes in the draft what is shown and tells it as
// events. Everything that is neither text nor reasoning releases what is kept
// back, so that the order stays; waits between tries do not.
type messageStream struct {
	rows            *rows
	draft           *draft
	text, reasoning portion
	out             *coalescer
}

// write takes a delta. A guard that reads along may cut the stream.
func (s *messageStream) write(d agent.Delta) error {
	s.draft.heard(d, s.rows.now())
	if err := s.push(d); err != nil {
		return err
	}
	return s.draft.watch.read(d)
}

// push shows what may be shown by now.
func (s *messageStream) push(d agent.Delta) error {
	switch d.Kind {
	case agent.DeltaText:
		if err := s.release(agent.DeltaReasoning, &s.reasoning); err != nil {
			return err
		}
		d.Text = s.text.push(d.Text)
	case agent.DeltaReasoning:
		d.Text = s.reasoning.push(d.Text)
	case agent.DeltaReset:
		s.text, s.reasoning = portion{mode: s.text.mode}, portion{mode: s.text.mode}
		return s.show(d)
	case agent.DeltaCallStart, agent.DeltaCallArgs:
		if err := s.releaseAll(); err != nil {
			return err
		}
		return s.show(d)
	default:
		return s.show(d)
	}
	if d.Text == "" {
		return nil
	}
	return s.show(d)
}

// release shows the pending part of one text.
func (s *messageStream) release(kind agent.DeltaKind, p *portion) error {
	if text := p.flush(); text != "" {
		return s.show(agent.Delta{Kind: kind, Text: text})
	}
	return nil
}

func (s *messageStream) releaseAll() error {
	if err := s.release(agent.DeltaReasoning, &s.reasoning); err != nil {
		return err
	}
	return s.release(agent.DeltaText, &s.text)
}

func (s *messageStream) show(d agent.Delta) error {
	state := &s.rows.run.State
	if d.Kind == agent.DeltaFallback {
		state.FallbackUsed = true
	}
	return s.out.push(s.draft.show(state.DraftID, d))
}

// close shows what is left; the change that follows writes it along.
func (s *messageStream) close() error {
	err := s.releaseAll()
	rest, closeErr := s.out.close()
	s.rows.stage(agent.Change{Events: events(rest...)})
	return cmp.Or(err, closeErr)
}

// streamCut ends a stream that a guard does not want to continue.
type streamCut struct{ verdict agent.Verdict }

func (c *streamCut) Error() string { return "the stream was cut: " + c.verdict.Message }

// streamWatch are the guards that read a message along while it is streamed:
// those of the text, of the reasoning, and of the arguments of its calls, each made
// when it begins.
type streamWatch struct {
	make                func(of agent.DeltaKind) []agent.StreamGuard
	off                 []string // guards that are switched off
	onText, onReasoning []agent.StreamGuard
	onArgs              []agent.StreamGuard
	call                string          // the id of the call whose arguments they read
	muted               []agent.Verdict // of guards that are switched off
}

// read shows a delta to the guards of the stream and cuts it where one trips.
func (w *streamWatch) read(d agent.Delta) error {
	var v agent.Verdict
	switch d.Kind {
	case agent.DeltaText:
		w.onReasoning = nil // it is over: what it kept is free
		if w.onText == nil {
			w.onText = w.make(d.Kind)
		}
		v = w.hear(w.onText, d.Text)
	case agent.DeltaReasoning:
		if w.onReasoning == nil {
			w.onReasoning = w.make(d.Kind)
		}
		if v = w.hear(w.onReasoning, d.Text); v.Level > agent.Pass {
			v.Keep = math.MaxInt // it is the reasoning that repeats: all of the text stays
		}
	case agent.DeltaCallStart:
		for _, g := range slices.Concat(w.onText, w.onReasoning) {
			g.Reset()
		}
	case agent.DeltaCallArgs:
		if v = w.hear(w.argumentsOf(d.CallID), d.Text); v.Level > agent.Pass {
			v.Keep = math.MaxInt // all of the text stays
		}
	case agent.DeltaRetry, agent.DeltaReset, agent.DeltaFallback, agent.DeltaNotice:
	}
	if v.Level == agent.Pass {
		return nil
	}
	return &streamCut{verdict: v}
}

// argumentsOf are the guards of the arguments of a call; they forget those of another one.
func (w *streamWatch) argumentsOf(call string) []agent.StreamGuard {
	if w.onArgs == nil {
		w.onArgs = w.make(agent.DeltaCallArgs)
	} else if w.call != call {
		for _, g := range w.onArgs {
			g.Reset()
		}
	}
	w.call = call
	return w.onArgs
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

// draft is the streamed part of a message that is not final.
type draft struct {
	text, reasoning   strings.Builder
	arguments         strings.Builder // of all its calls, for the bill
	shown             bool            // something was streamed
	calls             bool            // a call was announced
	thinking, thought time.Time       // when the reasoning began, and ended
	watch             streamWatch
}

// heard notes when the model begins to reason, and when it begins to speak:
// as it comes, whenever it is shown.
func (d *draft) heard(delta agent.Delta, now time.Time) {
	switch delta.Kind {
	case agent.DeltaReasoning:
		if d.thinking.IsZero() {
			d.thinking = now
		}
	case agent.DeltaText, agent.DeltaCallStart:
		if !d.thinking.IsZero() && d.thought.IsZero() {
			d.thought = now
		}
	case agent.DeltaCallArgs, agent.DeltaRetry, agent.DeltaReset, agent.DeltaFallback, agent.DeltaNotice:
	}
}

// thoughtFor is how long the model has reasoned, in milliseconds.
func (d *draft) thoughtFor(now time.Time) int64 {
	if d.thinking.IsZero() {
		return 0
	}
	end := d.thought
	if end.IsZero() {
		end = now
	}
	return end.Sub(d.thinking).Milliseconds()
}

// show notes a delta in the draft and returns its event.
func (d *draft) show(id string, delta agent.Delta) agent.EventData {
	switch delta.Kind {
	case agent.DeltaText:
		d.shown = true
		d.text.WriteString(delta.Text)
		return agent.TextDelta{ID: id, Delta: delta.Text}
	case agent.DeltaReasoning:
		d.shown = true
		d.reasoning.WriteString(delta.Text)
		return agent.ReasoningDelta{ID: id, Delta: delta.Text}
	case agent.DeltaCallStart:
		d.shown, d.calls = true, true
		return agent.ToolCallStart{ToolCallID: delta.CallID, ToolName: delta.ToolName}
	case agent.DeltaCallArgs:
		d.arguments.WriteString(delta.Text)
		return agent.ToolCallDelta{ToolCallID: delta.CallID, Delta: delta.Text}
	case agent.DeltaReset:
		*d = draft{watch: streamWatch{make: d.watch.make, off: d.watch.off}}
		return agent.MessageReset{ID: id}
	case agent.DeltaFallback:
		return delta.Fallback
	case agent.DeltaNotice:
		return agent.Notice{Message: delta.Text}
	default:
		return delta.Retry
	}
}
