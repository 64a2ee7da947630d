package answer

import (
	"bytes"
	"encoding/json"
	"strings"

	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

// maxCalls bounds the tool calls of one answer.
const maxCalls = 256

// SinkError carries the sink's error out past all classification.
type SinkError struct{ Err error }

func (e SinkError) Error() string { return e.Err.Error() }

// Accumulator turns the chunks of one answer into deltas for the watcher and,
// at the end, into a completion that is made of exactly these deltas.
type Accumulator struct {
	// Header is how the answer's header names the call; a reset forgets it.
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

// NewAccumulator knows all ids of the history, as stored and as sent, so that
// no call of the answer gets one of them.
func NewAccumulator(out *Output, req agent.Request, sent []agent.Message) *Accumulator {
	return After(pastOf(req, sent), out, req.Tools)
}

// After is an Accumulator of an answer to a past that is known.
func After(past Past, out *Output, tools []agent.ToolSpec) *Accumulator {
	return &Accumulator{out: out, past: past, tools: tools}
}

// Send shows a delta. Its error is a SinkError.
func (a *Accumulator) Send(d agent.Delta) error { return sunk(a.out.Show(d)) }

// sunk marks an error as the sink's.
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

// add takes one chunk.
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

func (a *Accumulator) addFragment(f wire.Fragment) error {
	c := a.find(f)
	if c == nil {
		if len(a.calls) == maxCalls {
			return &wire.Failure{Said: "asked for more tool calls than an answer may hold"}
		}
		if len(a.calls) > 0 {
			if err := a.start(a.calls[len(a.calls)-1]); err != nil {
				return err
			}
		}
		if err := a.addContent("", false); err != nil {
			return err // the pending text comes before the call
		}
		c = &call{}
		a.calls = append(a.calls, c)
		a.made.call()
		a.made.write(string(f.Function.Name))
	}
	a.made.write(string(f.Function.Arguments))
	c.merge(f)
	return a.show(c, false)
}

// show sends what the watcher does not have yet of a call. Arguments of "{}"
// wait for the end, because some endpoints send that first and the true ones
// later.
func (a *Accumulator) show(c *call, final bool) error {
	if len(c.args) == 0 && !final {
		return nil // the name may still grow
	}
	if err := a.start(c); err != nil {
		return err
	}
	rest := c.args[c.sent:]
	if !c.started || len(rest) == 0 || (string(c.args) == "{}" && !final) {
		return nil
	}
	c.sent = len(c.args)
	return a.Send(agent.Delta{Kind: agent.DeltaCallArgs, CallID: c.id, Text: string(rest)})
}

// start announces a call once: when its arguments begin or the next call does,
// so that calls are announced in their order.
func (a *Accumulator) start(c *call) error {
	if c.started || c.name == "" {
		return nil
	}
	c.started, c.id = true, a.unique(c.given)
	a.announced = true
	return a.Send(agent.Delta{Kind: agent.DeltaCallStart, CallID: c.id, ToolName: a.toolName(c)})
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
	if len(kept) == 0 && a.saysNothing() && a.mayNotBeEmpty() {
		return wire.EmptyAnswer(nil)
	}
	return a.tellFinish()
}

// saysNothing reports whether nothing came but calls that are whole.
func (a *Accumulator) saysNothing() bool {
	return a.content.Len() == 0 && a.reasoning.Len() == 0 && a.unfinished == 0 && a.mistake == ""
}

// keeps reports whether a call stays in the answer, and notes what is wrong with it.
func (a *Accumulator) keeps(c *call) bool {
	if a.isWhole(c) {
		return true
	}
	if a.atLimit() {
		c.cut = true
		return c.name != ""
	}
	if c.name != "" || len(c.args) > len("{}") {
		a.unfinished++
	}
	return false
}

// isWhole reports whether a call can be made, and completes one without arguments.
func (a *Accumulator) isWhole(c *call) bool {
	if c.name == "" {
		return false
	}
	if len(bytes.TrimSpace(c.args)) == 0 {
		if !a.mayNotBeEmpty() {
			return false // it was cut before its arguments began
		}
		c.args = []byte("{}")
	}
	if !a.cutShort() {
		return !endsInMiddle(c.args) || !a.streamed && !a.atLimit()
	}
	return json.Valid(c.args)
}

// Completion is what arrived so far: after Read, the whole answer.
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
