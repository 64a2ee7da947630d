package loop

import (
	"cmp"
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

func newMessageStream(r *rows, d *draft, m agent.OutputMode) *messageStream {
	return &messageStream{rows: r, draft: d, text: portion{mode: m}, reasoning: portion{mode: m}, out: newCoalescer(r.clock, streamFrame, r.teller())}
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

// show tells a delta as an event.
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
