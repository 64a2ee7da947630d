package answer

import (
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

// buffered is an output that keeps an answer back. What is said about the call
// itself is shown at once.
func (o *Output) buffered() *Output { return &Output{sink: o.sink, buffering: true} }

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
	case o.buffering:
		return o.keep(d)
	case o.wait != nil && d.Kind == agent.DeltaText:
		return o.typeOut(d)
	default:
		return o.sink(d)
	}
}

func (o *Output) keep(d agent.Delta) error {
	switch d.Kind {
	case agent.DeltaRetry, agent.DeltaFallback, agent.DeltaNotice:
		return o.sink(d)
	case agent.DeltaReset:
		o.buffer = nil
	default:
		o.buffer = append(o.buffer, d)
	}
	return nil
}

// Reset voids what was shown of an answer, if anything was.
func (o *Output) Reset() error {
	if !o.shown {
		return nil
	}
	return o.Show(agent.Delta{Kind: agent.DeltaReset})
}
