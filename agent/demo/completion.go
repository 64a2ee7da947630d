package demo

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"fusebox/agent/demo/wire"
)

type completion struct {
	family    family
	index     int // among the answers to one request
	id, model string
	created   int64
	message   wire.Message
	finish    string
	usage     usage
	breaks    bool
}

// newCompletions are as many answers as the request wants; they say the same.
func newCompletions(f family, req request, a answer) []completion {
	list := make([]completion, req.choices())
	for i := range list {
		list[i] = newCompletion(f, req, a)
		list[i].index, list[i].id, list[i].created = i, list[0].id, list[0].created
	}
	return list
}

func newCompletion(f family, req request, a answer) completion {
	c := completion{
		family: f, id: "chatcmpl-demo-" + randomID(), model: req.Model, created: time.Now().Unix(), finish: "stop", breaks: a.breaks,
		message: wire.Message{Role: "assistant", ReasoningContent: a.reasoning},
	}
	text, cut := cutTo(req.Stop.cut(a.text), req.limit())
	c.message.Content = wire.Content(text)
	out := tokens(a.reasoning) + tokens(text)
	for _, k := range a.calls {
		if cut {
			break // the answer ended before this call
		}
		c.finish = f.finish
		if left := req.limit() - out - tokens(k.name); req.limit() > 0 && tokens(k.args) > left {
			k.args, _ = cutTo(k.args, max(left, 1))
			cut = true
		}
		c.message.ToolCalls = append(c.message.ToolCalls, wire.Call{
			ID: f.callID(), Type: "function", Function: wire.Function{Name: k.name, Arguments: k.args},
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
		choice["index"], choice["logprobs"] = c.index, nil
		choices = append(choices, choice)
	}
	return map[string]any{"id": c.id, "object": object, "created": c.created, "model": c.model, "choices": choices}
}

func whole(list []completion) map[string]any {
	e := list[0].envelope("chat.completion", nil)
	choices := make([]any, len(list))
	for i, c := range list {
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
		choices[i] = map[string]any{"index": c.index, "logprobs": nil, "message": m, "finish_reason": c.finish}
	}
	e["choices"] = choices
	e["usage"] = list[0].family.bill(billed(list))
	return e
}

// billed is the usage of all answers: the prompt is read once.
func billed(list []completion) usage {
	u := list[0].usage
	for _, c := range list[1:] {
		u.CompletionTokens += c.usage.CompletionTokens
		u.reasoning += c.usage.reasoning
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
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
