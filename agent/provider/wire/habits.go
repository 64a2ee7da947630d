package wire

import (
	"slices"
	"strings"
)

// habit is a way in which some endpoints write a chunk, and how it is undone.
// Chunks are matched by what they say, never by who sent them.
//
// Habits that take memory from chunk to chunk are undone where an answer is put
// together: which call a fragment belongs to, reasoning and calls in the text.
type habit struct {
	name string
	undo func(*Chunk)
}

// habits are those that are known, in the order in which they are undone.
var habits = []habit{
	{name: "message-for-delta", undo: eachChoice(func(c *choice) {
		if c.Delta == nil {
			c.Delta = c.Message // a whole completion; next to a delta it is the text so far
		}
	})},
	{name: "other-choices", undo: func(c *Chunk) { // one answer was asked for
		if slices.ContainsFunc(c.Choices, func(ch choice) bool { return ch.Index != 0 }) {
			c.Choices = slices.DeleteFunc(c.Choices, func(ch choice) bool { return ch.Index != 0 })
		}
	}},
	{name: "error-in-choice", undo: func(c *Chunk) { // OpenRouter
		if len(c.Choices) > 0 && isError(c.Choices[0].Error) && !isError(c.Error) {
			c.Error = c.Choices[0].Error
		}
	}},
	{name: "usage-in-x-groq", undo: func(c *Chunk) {
		if c.Usage.empty() && c.XGroq != nil {
			c.Usage = c.XGroq.Usage
		}
	}},
	{name: "usage-in-choice", undo: func(c *Chunk) { // Kimi
		if c.Usage.empty() && len(c.Choices) > 0 && c.Choices[0].Usage != nil {
			c.Usage = c.Choices[0].Usage
		}
	}},
	{name: "refusal-for-content", undo: eachDelta(func(m *Message) {
		if m.Content.Text == "" {
			m.Content.Text = string(m.Refusal)
		}
	})},
	{name: "reasoning-in-parts", undo: eachDelta(func(m *Message) { // Mistral
		if m.ReasoningContent == "" && m.Reasoning == "" {
			m.ReasoningContent = text(m.Content.reasoning)
		}
	})},
	{name: "reasoning-for-reasoning-content", undo: eachDelta(func(m *Message) { // OpenRouter, Groq, Ollama
		if m.ReasoningContent == "" {
			m.ReasoningContent = m.Reasoning
		}
	})},
	{name: "reasoning-details", undo: eachDelta(func(m *Message) { // OpenRouter
		if m.ReasoningContent == "" && len(m.ReasoningDetails) > 0 {
			var b strings.Builder
			for _, d := range m.ReasoningDetails {
				b.WriteString(string(d.Text))
				b.WriteString(string(d.Summary))
			}
			m.ReasoningContent = text(b.String())
		}
	})},
	{name: "function-call", undo: eachDelta(func(m *Message) { // servers of the first protocol
		if m.FunctionCall != nil && len(m.ToolCalls) == 0 {
			first := 0
			m.ToolCalls = []Fragment{{Index: &first, Function: *m.FunctionCall}}
		}
	})},
}

func eachChoice(fix func(*choice)) func(*Chunk) {
	return func(c *Chunk) {
		for i := range c.Choices {
			fix(&c.Choices[i])
		}
	}
}

func eachDelta(fix func(*Message)) func(*Chunk) {
	return eachChoice(func(c *choice) {
		if c.Delta != nil {
			fix(c.Delta)
		}
	})
}

func normalise(c *Chunk) {
	for _, h := range habits {
		h.undo(c)
	}
}
