package demo

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// completion is an answer as it goes over the wire.
type completion struct {
	family    family
	id, model string
	created   int64
	message   wireMessage
	finish    string
	usage     usage
	breaks    bool
}

func newCompletion(f family, req request, a answer) completion {
	c := completion{
		family: f, id: "chatcmpl-demo-" + randomID(), model: req.Model, created: time.Now().Unix(), finish: "stop", breaks: a.breaks,
		message: wireMessage{Role: "assistant", ReasoningContent: a.reasoning},
	}
	text, cut := cutTo(a.text, req.limit())
	c.message.Content = content(text)
	out := tokens(a.reasoning) + tokens(text)
	for _, k := range a.calls {
		c.finish = f.finish
		c.message.ToolCalls = append(c.message.ToolCalls, wireCall{
			ID: f.callID(), Type: "function", Function: wireFunction{Name: k.name, Arguments: k.args},
		})
		out += tokens(k.name) + tokens(k.args)
	}
	if cut {
		c.finish = "length"
	}
	c.usage = usage{PromptTokens: req.tokens(), CompletionTokens: out, reasoning: tokens(a.reasoning)}
	if a.usage != nil {
		c.usage = *a.usage
	}
	if limit := req.limit(); limit > 0 {
		c.usage.CompletionTokens = min(c.usage.CompletionTokens, limit)
		c.usage.reasoning = min(c.usage.reasoning, limit)
	}
	c.usage.TotalTokens = c.usage.PromptTokens + c.usage.CompletionTokens
	return c
}

// cutTo bounds a text to a number of tokens; 0 bounds nothing.
func cutTo(text string, limit int) (string, bool) {
	if limit <= 0 || tokens(text) <= limit {
		return text, false
	}
	return string([]rune(text)[:4*(limit-1)+3]), true
}

func randomID() string { return strconv.FormatUint(rand.Uint64(), 36) }

func (c completion) envelope(object string, choice map[string]any) map[string]any {
	choices := []any{}
	if choice != nil {
		choice["index"], choice["logprobs"] = 0, nil
		choices = append(choices, choice)
	}
	return map[string]any{"id": c.id, "object": object, "created": c.created, "model": c.model, "choices": choices}
}

// whole is the answer in one piece.
func (c completion) whole() map[string]any {
	m := map[string]any{"role": c.message.Role, "content": nil}
	if c.message.ReasoningContent != "" {
		add(m, c.family.think(c.message.ReasoningContent))
	}
	if c.message.Content != "" {
		add(m, c.family.text(string(c.message.Content)))
	}
	if len(c.message.ToolCalls) > 0 {
		m["tool_calls"] = c.family.all(c.message.ToolCalls)
	}
	e := c.envelope("chat.completion", map[string]any{"message": m, "finish_reason": c.finish})
	e["usage"] = c.family.bill(c.usage)
	return e
}

// add joins a delta to a message: the parts of a list go behind those that
// are there.
func add(message, delta map[string]any) {
	for k, v := range delta {
		parts, isList := v.([]any)
		if before, ok := message[k].([]any); ok && isList {
			message[k] = slices.Concat(before, parts)
			continue
		}
		message[k] = v
	}
}
