package histories

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"fusebox/agent"
	"fusebox/agent/guards"
)

// The roles of chat messages that are read. Messages of other roles, such as the
// system's, are skipped: they say nothing about what the agent did.
const (
	fromPerson    = "person"
	fromAssistant = "assistant"
	fromTool      = "tool"
	fromOthers    = ""
)

// chatMessage is a message of a chat, whatever format it was in.
type chatMessage struct {
	from, text string
	calls      []chatCall
	// answers is the id of the call that a tool's message answers.
	answers string
	failed  bool
}

type chatCall struct {
	id, name string
	args     json.RawMessage
}

// readChats reads files of messages: an array of them, an object with the field
// "messages", or one message a line; or several arrays or objects, each of which
// is a history.
func readChats(data []byte, read func(json.RawMessage) (chatMessage, error)) ([]History, error) {
	all, err := values(data)
	if err != nil {
		return nil, err
	}
	if list, ok := elements(all[0]); ok && len(all) == 1 && len(list) > 0 && isChat(list[0]) {
		all = list
	}
	if !isChat(all[0]) {
		lines, err := readChat(all, read)
		return []History{{lines}}, err
	}
	histories := make([]History, len(all))
	for i, raw := range all {
		histories[i].Lines, err = readChat(messagesOf(raw), read)
		switch {
		case err != nil && len(all) == 1:
			return nil, err
		case err != nil:
			return nil, agent.Errorf(agent.Invalid, "conversation %d: %s", i+1, agent.MessageOf(err))
		}
	}
	return histories, nil
}

// isChat reports whether a value is many messages rather than one.
func isChat(raw json.RawMessage) bool {
	_, ok := elements(raw)
	return ok || fields(raw)["messages"] != nil
}

func messagesOf(raw json.RawMessage) []json.RawMessage {
	if f := fields(raw); f != nil {
		raw = f["messages"]
	}
	list, _ := elements(raw)
	return list
}

func firstMessage(first json.RawMessage) map[string]json.RawMessage {
	for isChat(first) {
		list := messagesOf(first)
		if len(list) == 0 {
			return nil
		}
		first = list[0]
	}
	return fields(first)
}

// readChat makes lines of the messages of one conversation. Verdicts name the
// number of the message.
func readChat(messages []json.RawMessage, read func(json.RawMessage) (chatMessage, error)) ([]guards.Line, error) {
	c := chatReader{open: map[string]int{}}
	for i, raw := range messages {
		m, err := read(raw)
		if err == nil {
			err = c.add(m, i+1)
		}
		if err != nil {
			return nil, agent.Errorf(agent.Invalid, "message %d: %v", i+1, err)
		}
		if len(c.lines) > maxItems {
			return nil, agent.Errorf(agent.Invalid, "message %d: a history has at most %d lines", i+1, maxItems)
		}
	}
	return c.lines, nil
}

// chatReader puts results to the calls that they answer.
type chatReader struct {
	lines []guards.Line
	// open are the lines of calls without a result, by id.
	open map[string]int
}

func (c *chatReader) add(m chatMessage, at int) error {
	switch m.from {
	case fromPerson:
		// What a person says next begins a new run.
		if len(c.lines) > 0 {
			c.lines = append(c.lines, guards.Line{Reset: true, At: at})
		}
	case fromAssistant:
		c.lines = append(c.lines, guards.Line{Turn: true, At: at})
		if strings.TrimSpace(m.text) != "" {
			c.lines = append(c.lines, guards.Line{Message: &m.text, At: at})
		}
		for _, call := range m.calls {
			if call.name == "" {
				return errors.New("has a tool call without a name")
			}
			c.open[call.id] = len(c.lines)
			c.lines = append(c.lines, guards.Line{Tool: &call.name, Args: call.args, At: at})
		}
	case fromTool:
		i, ok := c.open[m.answers]
		if !ok {
			return fmt.Errorf("answers the tool call %q, which no message before it made", m.answers)
		}
		delete(c.open, m.answers)
		if m.failed {
			c.lines[i].Error = quoted(m.text)
		} else {
			c.lines[i].Result = quoted(m.text)
		}
	}
	return nil
}

// contentOf is the text of a message: a text, or a list of texts and of parts, of
// which those with a text count.
func contentOf(raw json.RawMessage) (string, error) {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text, nil // null is an empty text
	}
	list, ok := elements(raw)
	if !ok {
		return "", errors.New(`the field "content" is neither a text nor a list of parts`)
	}
	var b strings.Builder
	for _, part := range list {
		var p struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(part, &text) == nil {
			b.WriteString(text)
		} else if err := json.Unmarshal(part, &p); err == nil {
			b.WriteString(p.Text)
		}
	}
	return b.String(), nil
}
