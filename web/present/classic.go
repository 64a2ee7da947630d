package present

import (
	"strings"
	"unicode/utf8"

	"fusebox/agent"
)

// Classic translates a log for clients that know only the eight classic event types:
// step-start, step-finish, text-delta, tool-call-start, tool-call-delta,
// tool-call-result, error, and finish. Such clients concatenate deltas and ignore
// message-reset, so text streamed again after a break would appear twice. Classic
// sends each text once: it drops what the client already has, and takes text whose
// deltas have been pruned from the whole message.
//
// Each event becomes at most one event with the same number. It keeps one step in memory.
type Classic struct {
	texts, calls map[string]*told // by the message's, the call's id
	// whole are the arguments of the calls of the newest message, by the call's id.
	whole map[string]string
}

// told tracks how much of a text the client has.
type told struct {
	sent strings.Builder // what the client has
	// again is what came since the last reset, as far as it is what the client has.
	again int
	// differs is set once the repeated stream deviates from what the client has. The end
	// of the text is then taken from the whole.
	differs bool
	started bool
}

// NewClassic begins at the beginning of a log, or of a step.
func NewClassic() *Classic {
	c := &Classic{}
	c.forget()
	return c
}

func (c *Classic) forget() {
	c.texts, c.calls, c.whole = map[string]*told{}, map[string]*told{}, map[string]string{}
}

// Apply translates events; it changes none of them.
func (c *Classic) Apply(events []agent.Event) []agent.Event {
	out := make([]agent.Event, 0, len(events))
	for _, e := range events {
		if e.ParentRunID != "" {
			continue // clients of the first hour take all text for one answer
		}
		if data := c.translated(e.Data); data != nil {
			e.Data, e.Encoded = data, nil
			out = append(out, e)
		}
	}
	return out
}

// translated is what a client is told of an event, nil for nothing.
func (c *Classic) translated(data agent.EventData) agent.EventData {
	switch d := data.(type) {
	case agent.StepStart:
		c.forget()
		return d
	case agent.StepFinish, agent.ToolCallResult, agent.ErrorEvent, agent.Finish:
		return d
	case agent.TextDelta:
		return textPiece(d.ID, of(c.texts, d.ID).piece(d.Delta))
	case agent.ToolCallStart:
		if t := of(c.calls, d.ToolCallID); !t.started {
			t.started = true
			return d
		}
	case agent.ToolCallDelta:
		return argsPiece(d.ToolCallID, of(c.calls, d.ToolCallID).piece(d.Delta))
	case agent.MessageReset:
		c.reset()
	case agent.MessageEvent:
		return c.message(d.Message)
	case agent.ToolCallStateEvent:
		return c.call(d)
	}
	return nil
}

// reset voids what was streamed; the client still has it.
func (c *Classic) reset() {
	for _, t := range c.texts {
		t.again, t.differs = 0, false
	}
	for _, t := range c.calls {
		t.again, t.differs = 0, false
	}
}

// message tells what a client lacks of a final answer, and keeps what it may lack of the
// calls until their first states come.
func (c *Classic) message(m agent.Message) agent.EventData {
	if m.Role != agent.FromAssistant {
		return nil
	}
	for _, call := range m.ToolCalls {
		c.whole[call.ID] = call.Arguments
	}
	return textPiece(m.ID, of(c.texts, m.ID).rest(m.Content))
}

// call tells what a client lacks of the arguments of a call that is about to be looked at.
func (c *Classic) call(d agent.ToolCallStateEvent) agent.EventData {
	args, waits := c.whole[d.ToolCallID]
	if !waits {
		return nil
	}
	delete(c.whole, d.ToolCallID)
	return argsPiece(d.ToolCallID, of(c.calls, d.ToolCallID).rest(args))
}

func of(all map[string]*told, id string) *told {
	t := all[id]
	if t == nil {
		t = &told{}
		all[id] = t
	}
	return t
}

// piece is what is new to the client in a piece.
func (t *told) piece(p string) string {
	sent := t.sent.String()
	known := min(len(p), len(sent)-t.again)
	switch {
	case t.differs:
		return ""
	case sent[t.again:t.again+known] != p[:known]:
		t.differs = true
		return ""
	}
	t.again += len(p)
	t.sent.WriteString(p[known:])
	return p[known:]
}

// rest is what the client lacks of the whole, from where the two begin to differ.
func (t *told) rest(whole string) string {
	sent, n := t.sent.String(), 0
	for n < min(len(sent), len(whole)) && sent[n] == whole[n] {
		n++
	}
	for n < len(whole) && n > 0 && !utf8.RuneStart(whole[n]) {
		n--
	}
	return whole[n:]
}

func textPiece(id, text string) agent.EventData {
	if text == "" {
		return nil
	}
	return agent.TextDelta{ID: id, Delta: text}
}

func argsPiece(id, text string) agent.EventData {
	if text == "" {
		return nil
	}
	return agent.ToolCallDelta{ToolCallID: id, Delta: text}
}
