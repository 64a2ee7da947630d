package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

const maxCalls = 256

// SinkError carries the sink's error out past all classification.
type SinkError struct{ Err error }

func (e SinkError) Error() string { return e.Err.Error() }

// Accumulator turns the chunks of one answer into deltas for the watcher and,
// at the end, into a completion that is made of exactly these deltas.
type Accumulator struct {
	// Header is the name of the call in the answer's header; a reset forgets it.
	Header string

	out   *Output
	past  Past
	tools []agent.ToolSpec

	thinker   thinker
	markup    markup
	content   strings.Builder
	reasoning strings.Builder
	calls     []*call
	extra     json.RawMessage // of the message: a signature of its thoughts
	finish    string          // the last non-empty reason
	told      wire.Figures    // the last ones sent, never a sum
	model     string
	id        string // the name of the call in its first chunk
	made      *tally // nil counts nothing
	most      int64  // tokens that an answer may have, 0 if unknown
	began     bool   // something of an answer came
	ended     bool   // and its end
	streamed  bool   // it came in pieces
	billed    bool   // what it took is in the bill
	announced bool   // a call among it
	// unfinished counts the calls that were cut short, or never got a name, and
	// were dropped; mistake says why one that was written as text cannot be made.
	unfinished int
	mistake    string
	Bill       Bill
}

// NewAccumulator makes an Accumulator of an answer that follows a past: no call of it gets an
// id that is taken there.
func NewAccumulator(past Past, out *Output, tools []agent.ToolSpec) *Accumulator {
	return &Accumulator{out: out, past: past, tools: tools}
}

// Send shows a delta. Its error is a SinkError.
func (a *Accumulator) Send(d agent.Delta) error { return sunk(a.out.Show(d)) }

func sunk(err error) error {
	if err == nil {
		return nil
	}
	return SinkError{err}
}

// Reset voids what was shown and forgets the failed try.
func (a *Accumulator) Reset() error {
	*a = Accumulator{out: a.out, past: a.past, tools: a.tools, Bill: a.Bill}
	return sunk(a.out.Reset())
}

// Heard notes what came of an answer and cannot be read.
func (a *Accumulator) Heard(part string) {
	if part != "" {
		a.began = true
		a.made.write(part)
	}
}

func (a *Accumulator) add(c wire.Chunk) error {
	if err := c.Failure(); err != nil {
		return err
	}
	if a.model == "" {
		a.model = c.Model
	}
	if a.id == "" {
		a.id = string(c.ID)
	}
	counts := c.Figures()
	a.told = a.told.Then(counts)
	a.began = a.began || len(c.Choices) > 0 || counts != wire.Figures{}
	for _, ch := range c.Choices {
		if ch.Delta != nil {
			if err := a.addMessage(*ch.Delta); err != nil {
				return err
			}
		}
		if ch.FinishReason != "" {
			if err := a.takeFinish(string(ch.FinishReason)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *Accumulator) addMessage(m wire.Message) error {
	if r := string(m.ReasoningContent); r != "" {
		a.made.write(r)
		a.reasoning.WriteString(r)
		if err := a.Send(agent.Delta{Kind: agent.DeltaReasoning, Text: r}); err != nil {
			return err
		}
	}
	if m.Content.Text != "" {
		a.made.write(m.Content.Text)
		if err := a.addContent(m.Content.Text, true); err != nil {
			return err
		}
	}
	if bytes.Contains(m.ExtraContent, []byte(`"thought_signature"`)) { // what else there may be is about one piece
		a.extra = m.ExtraContent
	}
	for _, f := range m.ToolCalls {
		if err := a.addFragment(f); err != nil {
			return err
		}
	}
	return nil
}

// end closes a stream that came to its end: calls that are whole, or that the output
// limit has cut, are shown to the last byte, others are dropped, and an answer that says
// nothing is none.
func (a *Accumulator) end() error {
	a.ended = true
	if err := a.addContent("", false); err != nil {
		return err
	}
	if err := a.addMarkup(); err != nil {
		return err
	}
	a.addThoughtCalls()
	kept := a.calls[:0]
	for _, c := range a.calls {
		a.takeFromName(c)
		if !a.keeps(c) {
			continue
		}
		if err := a.show(c, true); err != nil {
			return err
		}
		kept = append(kept, c)
	}
	a.calls = kept
	nothing := len(kept) == 0 && a.content.Len() == 0 && a.reasoning.Len() == 0 && a.unfinished == 0 && a.mistake == ""
	silent := a.finish == finishStop && a.told.Output > 0 // the model itself had no more to say
	if nothing && a.mayNotBeEmpty() && !silent {
		return wire.EmptyAnswer(nil)
	}
	switch a.finish {
	case "", finishStop, finishCalls, finishFunction, finishLength, finishFilter:
		return nil
	}
	return a.Send(agent.Delta{Kind: agent.DeltaNotice, Text: "The model server ended this answer for a reason that is not known (" + a.finish + "), so it may not be whole."})
}

// Completion returns the answer so far; once Read has returned, the whole answer.
func (a *Accumulator) Completion() agent.Completion {
	c := agent.Completion{
		Content: a.content.String(), Reasoning: a.reasoning.String(), FinishReason: a.finish, Model: a.model, Mistake: a.mistake,
	}
	for _, call := range a.calls {
		args := string(call.args)
		if call.cut {
			c.Cut.IDs, c.Cut.Limit = append(c.Cut.IDs, call.id), a.limit()
		} else {
			args = RepairArguments(args)
		}
		c.Calls = append(c.Calls, agent.CallRequest{ID: call.id, Name: a.toolName(call), Arguments: args})
	}
	return c
}

// Read takes a stream to its end. finished is called once the finish reason is
// there; from then on a broken end does no harm, as only the usage may be missing.
func (a *Accumulator) Read(s wire.Reader, finished func()) error {
	a.streamed = wire.Streams(s)
	for {
		c, err := s.Next()
		switch {
		case errors.Is(err, wire.ErrDone), err != nil && a.finish != "":
			return a.end()
		case errors.Is(err, io.EOF):
			return fmt.Errorf("neither a finish reason nor an end mark: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return err
		}
		if err := a.add(c); err != nil {
			return err
		}
		if a.finish == "" && (a.made.over() || a.made.limits(a.told.Output)) {
			// The answer continues beyond its limit, and ends as the model's own limit would have ended it.
			a.finish = finishLength
			err := a.end()
			a.ended = false
			return err
		}
		if a.finish != "" {
			finished()
		}
	}
}

// What the caller of an accumulator reads of a try.

// Began reports whether anything of an answer came.
func (a *Accumulator) Began() bool { return a.began }

// InCall reports whether the answer broke off when it had begun a tool call.
func (a *Accumulator) InCall() bool { return !a.ended && len(a.calls) > 0 }

// Unfinished counts the dropped calls: those that were cut short or never got a name.
func (a *Accumulator) Unfinished() int { return a.unfinished }

// Told are the figures that the endpoint sent last.
func (a *Accumulator) Told() wire.Figures { return a.told }

// Made counts the tokens that the model made, whatever became of them.
func (a *Accumulator) Made() int64 { return a.made.tokens() }

// Reasoning is the reasoning so far.
func (a *Accumulator) Reasoning() string { return a.reasoning.String() }

// ID is the endpoint's name for the answer, from the first chunk that has one.
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
