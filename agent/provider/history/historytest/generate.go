// Package historytest makes histories for tests: sound ones, broken ones, and
// those that change from request to request as a run changes them.
package historytest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"fusebox/agent"
)

// The seed and number of the histories; a failure tells both.
const (
	Seed      = 20261121
	Histories = 10_000
)

// maxToolName is the longest name of a function that endpoints accept.
const maxToolName = 64

// Pick is one of a list.
func Pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// Any is a history as no program should write it, from few ids, so that
// they meet. It often begins as a sound one that something happened to.
func Any(r *rand.Rand) []agent.Message {
	if r.IntN(2) == 0 {
		return Damaged(r, Valid(r))
	}
	history := make([]agent.Message, r.IntN(14))
	for i := range history {
		history[i] = AnyMessage(r)
	}
	return history
}

// AnyMessage is a message as no program should write it.
func AnyMessage(r *rand.Rand) agent.Message {
	switch r.IntN(5) {
	case 0:
		return Says(Pick(r, "", "hi", "你好\x00"))
	case 1:
		return Answers(Pick(r, "", " \n\t", "ok"))
	case 2, 3:
		return Result(anyID(r), Pick(r, "", "r"))
	}
	m := Answers(Pick(r, "", "let me see"))
	for range r.IntN(4) {
		m.ToolCalls = append(m.ToolCalls, agent.CallRequest{ID: anyID(r), Name: anyName(r), Arguments: anyArguments(r)})
	}
	return m
}

// anyID also gives what a repair makes up.
func anyID(r *rand.Rand) string {
	return Pick(r, "", "a", "b", "c", "a_2", "a_3", "a_2_2", "call_r2", "call_r3", "call_1", "é\n")
}

func anyName(r *rand.Rand) string {
	return Pick(r, "f", "f", "f", "", "f g", "日本", "a.b", strings.Repeat("x", 80), strings.Repeat("é", 80))
}

func anyArguments(r *rand.Rand) string {
	return Pick(r, "{}", "{}", `{"a":1}`, " {\"a\" : [1, 2]}\n", "", "null", `"{}"`, `"{\"a\":1}"`, `"\"{}\""`, "[]", "1", `{"a":`, `{"a":1,}`, "{}{}", "{\"a\":\"\xff\"}", "```json\n{}\n```")
}

// Damaged takes away, doubles, moves or spoils a few messages.
func Damaged(r *rand.Rand, history []agent.Message) []agent.Message {
	for range 1 + r.IntN(3) {
		if len(history) == 0 {
			return history
		}
		i, j := r.IntN(len(history)), r.IntN(len(history))
		switch r.IntN(5) {
		case 0:
			history = append(history[:i:i], history[i+1:]...)
		case 1:
			history[i], history[j] = history[j], history[i]
		case 2:
			history = append(history[:i:i], append([]agent.Message{history[j]}, history[i:]...)...)
		case 3:
			history[i].ToolCallID = anyID(r)
		case 4:
			history = history[:i]
		}
	}
	return history
}

// Valid is sound in every way in which a history can be.
func Valid(r *rand.Rand) []agent.Message {
	var history []agent.Message
	next := 0
	for range r.IntN(8) {
		switch r.IntN(4) {
		case 0:
			history = append(history, Says(Pick(r, "hi", "", "a\r\nb", "\x00")))
		case 1:
			history = append(history, Answers(Pick(r, "ok", " x ", "\u00a0.")))
		default:
			history = append(history, Exchange(r, &next)...)
		}
	}
	return history
}

// Exchange is an answer with calls and their results, in any order.
func Exchange(r *rand.Rand, next *int) []agent.Message {
	m := Answers(Pick(r, "", "let me see", "\n"))
	m.Reasoning = Pick(r, "", "hm")
	for range 1 + r.IntN(4) {
		*next++
		m.ToolCalls = append(m.ToolCalls, agent.CallRequest{
			ID:        fmt.Sprintf(Pick(r, "call_%d", "call_r%d", "a_%d", "é %d"), *next),
			Name:      Pick(r, "f", "get_weather", "a-b", strings.Repeat("x", maxToolName)),
			Arguments: Pick(r, "{}", " { } ", "{\"b\":1.0,\n\"a\":\"\\u00e9\"}", `{"a":1,"a":2}`, "\t{\"n\":1e999}"),
		})
	}
	exchange := []agent.Message{m}
	for _, k := range r.Perm(len(m.ToolCalls)) {
		exchange = append(exchange, Result(m.ToolCalls[k].ID, Pick(r, "", "r", "{}")))
	}
	return exchange
}

// Says is a message of a person.
func Says(text string) agent.Message { return agent.Message{Role: agent.FromUser, Content: text} }

// Answers is a text of a model.
func Answers(text string) agent.Message {
	return agent.Message{Role: agent.FromAssistant, Content: text}
}

// Asks is an answer with calls of a tool f, by their ids.
func Asks(ids ...string) agent.Message {
	m := agent.Message{Role: agent.FromAssistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, agent.CallRequest{ID: id, Name: "f", Arguments: "{}"})
	}
	return m
}

// Result is the result of a call.
func Result(id, text string) agent.Message {
	return agent.Message{Role: agent.FromTool, ToolCallID: id, Content: text}
}
