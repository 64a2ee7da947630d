package answer

import (
	"strings"
	"time"

	"fusebox/agent"
)

// Output is the only step between an accumulator and the sink of its caller.
// One output serves a whole model call with all its tries and models. A delta
// passes three stages: it may be buffered, it is noted as shown, and a text may
// be typed out.
type Output struct {
	sink func(agent.Delta) error
	// wait pauses between the pieces of a typed text; nil shows texts as they come.
	wait func(time.Duration) error
	// shown says that something of an answer was shown since the last reset.
	shown bool
	// buffering keeps the deltas of an answer back in buffer.
	buffering bool
	buffer    []agent.Delta
}

// NewOutput makes an output to a sink.
func NewOutput(sink func(agent.Delta) error) *Output { return &Output{sink: sink} }

// Typing types texts out from now on, with the given wait between pieces; nil
// shows texts as they come.
func (o *Output) Typing(wait func(time.Duration) error) { o.wait = wait }

// Show passes a delta on.
func (o *Output) Show(d agent.Delta) error {
	switch d.Kind {
	case agent.DeltaText, agent.DeltaReasoning, agent.DeltaCallStart, agent.DeltaCallArgs:
		o.shown = true
	case agent.DeltaReset:
		o.shown = false
	case agent.DeltaRetry, agent.DeltaFallback, agent.DeltaNotice:
	}
	switch {
	case o.buffering && d.Kind == agent.DeltaReset:
		o.buffer = nil
		return nil
	case o.buffering && d.Kind != agent.DeltaRetry && d.Kind != agent.DeltaFallback && d.Kind != agent.DeltaNotice:
		o.buffer = append(o.buffer, d)
		return nil
	case o.wait != nil && d.Kind == agent.DeltaText:
		return o.typeOut(d)
	default:
		return o.sink(d)
	}
}

// Reset voids what was shown of an answer, if anything was.
func (o *Output) Reset() error {
	if !o.shown {
		return nil
	}
	return o.Show(agent.Delta{Kind: agent.DeltaReset})
}

// An answer that came in one piece is typed out in at most typedPieces pieces,
// one a frame, so that it takes a second at most.
const (
	typedPieces = 50
	typedFrame  = 16 * time.Millisecond
)

func (o *Output) typeOut(d agent.Delta) error {
	runes := []rune(d.Text)
	size := max(1, (len(runes)+typedPieces-1)/typedPieces)
	for i := 0; i < len(runes); i += size {
		if i > 0 {
			if err := o.wait(typedFrame); err != nil {
				return err
			}
		}
		d.Text = string(runes[i:min(i+size, len(runes))])
		if err := o.sink(d); err != nil {
			return err
		}
	}
	return nil
}

// Substitute is an Accumulator of another answer that may take this one's place. That answer
// is kept back; what is said about the call itself is shown at once.
func (a *Accumulator) Substitute() *Accumulator {
	return &Accumulator{out: &Output{sink: a.out.sink, buffering: true}, past: a.past, tools: a.tools, Bill: a.Bill}
}

// GiveWayTo puts another answer, which was buffered, in the place of the one that
// was shown. Where the new text begins with the shown one, only the rest is sent.
func (a *Accumulator) GiveWayTo(next *Accumulator) error {
	stands := a.content.Len()
	textAlone := !a.announced && a.reasoning.Len() == 0
	if !textAlone || !strings.HasPrefix(next.content.String(), a.content.String()) {
		stands = 0
		if err := sunk(a.out.Reset()); err != nil {
			return err
		}
	}
	for _, d := range next.out.buffer {
		if d.Kind == agent.DeltaText && stands > 0 {
			skip := min(stands, len(d.Text))
			stands -= skip
			if d.Text = d.Text[skip:]; d.Text == "" {
				continue
			}
		}
		if err := a.Send(d); err != nil {
			return err
		}
	}
	return nil
}
