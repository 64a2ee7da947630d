package histories

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"fusebox/agent/guards"
)

// Attributes of the conventions for generative AI.
const (
	otlpOperation = "gen_ai.operation.name"
	otlpToolName  = "gen_ai.tool.name"
	otlpToolArgs  = "gen_ai.tool.call.arguments"
	otlpToolEnd   = "gen_ai.tool.call.result"
	otlpInput     = "gen_ai.input.messages"
	otlpOutput    = "gen_ai.output.messages"
)

// otlpMessage is a message in one of the attributes for messages.
type otlpMessage struct {
	Parts []struct {
		Type      string          `json:"type"`
		Content   string          `json:"content"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Response  json.RawMessage `json:"response"`
		Result    json.RawMessage `json:"result"`
	} `json:"parts"`
}

// otlpTrace makes lines of the spans of a trace.
type otlpTrace struct {
	lines []guards.Line
	// executed: the tools have spans of their own. Otherwise their calls are in the
	// answers of the model, and results, by id, in what it was sent next.
	executed bool
	results  map[string]json.RawMessage
}

func linesOfTrace(spans []otlpSpan) ([]guards.Line, error) {
	t := otlpTrace{results: map[string]json.RawMessage{}}
	for i, s := range spans {
		t.executed = t.executed || s.Attributes.text(otlpOperation) == "execute_tool"
		if err := t.learn(s); err != nil {
			return nil, fmt.Errorf("span %d: %w", i+1, err)
		}
	}
	for i, s := range spans {
		var err error
		switch s.Attributes.text(otlpOperation) {
		case "execute_tool":
			err = t.tool(s, i+1)
		case "chat", "generate_content", "text_completion":
			err = t.answer(s, i+1)
		}
		if err != nil {
			return nil, fmt.Errorf("span %d: %w", i+1, err)
		}
	}
	return t.lines, nil
}

// learn takes in the results that a model was sent.
func (t *otlpTrace) learn(s otlpSpan) error {
	messages, err := s.messages(otlpInput)
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Type != "tool_call_response" {
				continue
			}
			if t.results[p.ID] = p.Response; p.Response == nil {
				t.results[p.ID] = p.Result
			}
		}
	}
	return err
}

// tool is the span of a tool that was executed.
func (t *otlpTrace) tool(s otlpSpan, at int) error {
	name := s.Attributes.text(otlpToolName)
	if name == "" {
		return errors.New("executes a tool without the attribute " + otlpToolName)
	}
	l := guards.Line{Tool: &name, Args: s.Attributes[otlpToolArgs], Result: s.Attributes[otlpToolEnd], At: at}
	for _, e := range s.Events {
		if e.Name == "gen_ai.tool.message" && l.Result == nil {
			l.Result = e.Attributes["content"]
		}
	}
	if s.failed() {
		l.Error = quoted(s.failure())
	}
	t.lines = append(t.lines, l)
	return nil
}

// failure is what a failed span says about its error.
func (s otlpSpan) failure() string {
	var thrown string
	for _, e := range s.Events {
		if e.Name == "exception" {
			thrown = e.Attributes.text("exception.message")
		}
	}
	return cmp.Or(thrown, s.Status.Message, s.Attributes.text(otlpToolEnd), s.Attributes.text("error.type"), "failed")
}

// answer is the span of a call of the model.
func (t *otlpTrace) answer(s otlpSpan, at int) error {
	messages, err := s.messages(otlpOutput)
	if err != nil {
		return err
	}
	t.lines = append(t.lines, guards.Line{Turn: true, At: at})
	var text strings.Builder
	var calls []guards.Line
	for _, m := range messages {
		for _, p := range m.Parts {
			switch {
			case p.Type == "text":
				text.WriteString(p.Content)
			case p.Type == "tool_call" && !t.executed:
				calls = append(calls, guards.Line{Tool: &p.Name, Args: p.Arguments, Result: t.results[p.ID], At: at})
			}
		}
	}
	if said := text.String(); strings.TrimSpace(said) != "" {
		t.lines = append(t.lines, guards.Line{Message: &said, At: at})
	}
	t.lines = append(t.lines, calls...)
	return nil
}

// messages are those of an attribute of a span or of one of its events. They are
// a list, or a text with the JSON of one.
func (s otlpSpan) messages(key string) ([]otlpMessage, error) {
	raw := s.Attributes[key]
	for _, e := range s.Events {
		if raw == nil {
			raw = e.Attributes[key]
		}
	}
	if raw == nil {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var list []otlpMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("the attribute %s is not a list of messages: %w", key, err)
	}
	return list, nil
}
