package provider

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"fusebox/agent"
)

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// anyHistory is a history as no program should write it, from few ids, so that
// they meet. It often begins as a sound one that something happened to.
func anyHistory(r *rand.Rand) []agent.Message {
	if r.IntN(2) == 0 {
		return damaged(r, validHistory(r))
	}
	history := make([]agent.Message, r.IntN(14))
	for i := range history {
		history[i] = anyMessage(r)
	}
	return history
}

func anyMessage(r *rand.Rand) agent.Message {
	switch r.IntN(5) {
	case 0:
		return says(pick(r, "", "hi", "你好\x00"))
	case 1:
		return answers(pick(r, "", " \n\t", "ok"))
	case 2, 3:
		return result(anyID(r), pick(r, "", "r"))
	}
	m := answers(pick(r, "", "let me see"))
	for range r.IntN(4) {
		m.ToolCalls = append(m.ToolCalls, agent.CallRequest{ID: anyID(r), Name: anyName(r), Arguments: anyArguments(r)})
	}
	return m
}

// anyID also gives what a repair makes up.
func anyID(r *rand.Rand) string {
	return pick(r, "", "a", "b", "c", "a_2", "a_3", "a_2_2", "call_r2", "call_r3", "call_1", "é\n")
}

func anyName(r *rand.Rand) string {
	return pick(r, "f", "f", "f", "", "f g", "日本", "a.b", strings.Repeat("x", 80), strings.Repeat("é", 80))
}

func anyArguments(r *rand.Rand) string {
	return pick(r, "{}", "{}", `{"a":1}`, " {\"a\" : [1, 2]}\n", "", "null", `"{}"`, `"{\"a\":1}"`, `"\"{}\""`, "[]", "1", `{"a":`, `{"a":1,}`, "{}{}", "{\"a\":\"\xff\"}", "```json\n{}\n```")
}

// damaged takes away, doubles, moves or spoils a few messages.
func damaged(r *rand.Rand, history []agent.Message) []agent.Message {
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

// validHistory is sound in every way in which a history can be.
func validHistory(r *rand.Rand) []agent.Message {
	var history []agent.Message
	next := 0
	for range r.IntN(8) {
		switch r.IntN(4) {
		case 0:
			history = append(history, says(pick(r, "hi", "", "a\r\nb", "\x00")))
		case 1:
			history = append(history, answers(pick(r, "ok", " x ", "\u00a0.")))
		default:
			history = append(history, validExchange(r, &next)...)
		}
	}
	return history
}

// validExchange is an answer with calls and their results, in any order.
func validExchange(r *rand.Rand, next *int) []agent.Message {
	m := answers(pick(r, "", "let me see", "\n"))
	m.Reasoning = pick(r, "", "hm")
	for range 1 + r.IntN(4) {
		*next++
		m.ToolCalls = append(m.ToolCalls, agent.CallRequest{
			ID:        fmt.Sprintf(pick(r, "call_%d", "call_r%d", "a_%d", "é %d"), *next),
			Name:      pick(r, "f", "get_weather", "a-b", strings.Repeat("x", maxToolName)),
			Arguments: pick(r, "{}", " { } ", "{\"b\":1.0,\n\"a\":\"\\u00e9\"}", `{"a":1,"a":2}`, "\t{\"n\":1e999}"),
		})
	}
	exchange := []agent.Message{m}
	for _, k := range r.Perm(len(m.ToolCalls)) {
		exchange = append(exchange, result(m.ToolCalls[k].ID, pick(r, "", "r", "{}")))
	}
	return exchange
}
