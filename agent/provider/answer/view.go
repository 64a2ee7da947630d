package answer

import (
	"encoding/json"

	"fusebox/agent/provider/wire"
)

// What the caller of an accumulator reads of a try.

// Began reports whether anything of an answer came.
func (a *Accumulator) Began() bool { return a.began }

// InCall reports whether the answer broke off when it had begun a tool call.
func (a *Accumulator) InCall() bool { return !a.ended && len(a.calls) > 0 }

// Unfinished is how many calls were cut short, or never got a name, and were dropped.
func (a *Accumulator) Unfinished() int { return a.unfinished }

// Told are the figures that the endpoint sent last.
func (a *Accumulator) Told() wire.Figures { return a.told }

// Made is how many tokens the model made, whatever became of them.
func (a *Accumulator) Made() int64 { return a.made.tokens() }

// Reasoning is the reasoning so far.
func (a *Accumulator) Reasoning() string { return a.reasoning.String() }

// ID is how the endpoint names the answer, in its first chunk that names it.
func (a *Accumulator) ID() string { return a.id }

// Signature is the extra content of the message itself.
func (a *Accumulator) Signature() json.RawMessage { return a.extra }

// Signatures are the extra contents of the calls, by position.
func (a *Accumulator) Signatures() map[int]json.RawMessage {
	var all map[int]json.RawMessage
	for i, c := range a.calls {
		if len(c.extra) > 0 {
			if all == nil {
				all = make(map[int]json.RawMessage)
			}
			all[i] = c.extra
		}
	}
	return all
}
