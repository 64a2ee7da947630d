// Package streamtest has streams as endpoints send them: a table of them, one row
// for each oddity that was met, and functions that write others for tests.
package streamtest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
)

// Fixture is a body as some endpoint sends it and what must come of it.
type Fixture struct {
	Name        string
	Quirk       string // the habit it shows
	Tools       bool   // whether Offered were
	Body        string
	ContentType string // "" is that of a stream
	Want        Want
	History     []agent.Message // before the question
}

// Want is what must come of a fixture. A call without an id may have any that
// is unique; no usage means that it is estimated.
type Want struct {
	Text, Reasoning string
	Calls           []agent.CallRequest
	Usage           agent.Usage
	Finish          string
	Reset           bool   // the page has to take something back
	Notice          bool   // the person hears that a call was not run
	Mistake         string // part of what the model is told of a call that it wrote as text

	Err       string // part of the failure's sentence, "" where it is none
	Retryable bool
}

// All is the whole table.
func All() []Fixture {
	return slices.Concat(callFixtures, nameFixtures, argumentFixtures, finishFixtures, bodyFixtures, usageFixtures,
		reasoningFixtures, thinkFixtures, markupFixtures, uncalledFixtures, quotedFixtures, refusedFixtures, dialectFixtures(), thoughtCallFixtures, framingFixtures, errorFixtures)
}

// Tools are some simple ones.
var Tools = []agent.ToolSpec{
	{Name: "get_weather", Effect: agent.EffectRead, Description: "The weather of a city.", Parameters: json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}`)},
	{Name: "get_time", Effect: agent.EffectRead, Description: "What time it is.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
}

// Offered are Tools and one with arguments of every type.
var Offered = append(slices.Clip(Tools), agent.ToolSpec{Name: "note", Effect: agent.EffectRead, Description: "Takes a note.", Parameters: json.RawMessage(
	`{"type":"object","properties":{"text":{"type":"string"},"lines":{"type":"integer"},"draft":{"type":"boolean"},"tags":{"type":"array"},"about":{"type":["string","null"]},"weight":{"anyOf":[{"type":"number"},{"type":"null"}]}}}`)})

// Rome is the arguments of a call of get_weather.
const Rome = `{"city":"Rome"}`

// weather is a call of get_weather.
func weather(id, args string) agent.CallRequest {
	return agent.CallRequest{ID: id, Name: "get_weather", Arguments: args}
}

// theTime is a call of get_time.
func theTime(id string) agent.CallRequest {
	return agent.CallRequest{ID: id, Name: "get_time", Arguments: "{}"}
}

// said is an answer that is nothing but text.
func said(text string) Want { return Want{Text: text, Finish: "stop"} }

// asked is an answer that is nothing but calls.
func asked(list ...agent.CallRequest) Want { return Want{Calls: list, Finish: "tool_calls"} }

// ToolCall is a chunk with one fragment of a call.
func ToolCall(fields string) string { return Delta(`"tool_calls":[{` + fields + `}]`) }

// Calls is a list of calls.
func Calls(list ...agent.CallRequest) []agent.CallRequest { return list }

// UsageChunk is a chunk with nothing but the usage, which is Usage.
const UsageChunk = `{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}}`

// Usage is what UsageChunk tells.
var Usage = agent.Usage{Tokens: agent.Tokens{InputTokens: 11, CachedTokens: 4, OutputTokens: 7, ReasoningTokens: 2}}

// Quoted is a JSON string with <, > and & as they are, as models' servers write it.
func Quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// Text is a chunk with a piece of content.
func Text(s string) string { return Delta(`"content":` + Quoted(s)) }

// Call is a chunk with a whole call, or its beginning.
func Call(index int, id, name, args string) string {
	return ToolCall(`"index":` + strconv.Itoa(index) + `,"id":` + Quoted(id) + `,"type":"function","function":{"name":` + Quoted(name) + `,"arguments":` + Quoted(args) + `}`)
}

// argsChunk is a chunk with a piece of a call's arguments.
func argsChunk(index int, args string) string {
	return ToolCall(`"index":` + strconv.Itoa(index) + `,"function":{"arguments":` + Quoted(args) + `}`)
}

// Answered is a stream that ends as an answer does.
func Answered(events ...string) string {
	return SSE(slices.Concat(events, []string{Finish("stop"), Done})...)
}

// Called is a stream that ends as an answer with calls does.
func Called(events ...string) string {
	return SSE(slices.Concat(events, []string{Finish("tool_calls"), Done})...)
}

// spelled is text in chunks of a few runes each, so that every mark in it is
// split somewhere.
func spelled(text string) (events []string) {
	for piece := range slices.Chunk([]rune(text), 5) {
		events = append(events, Text(string(piece)))
	}
	return events
}

// written is an answer of nothing but this text.
func written(text string) string { return Answered(spelled(text)...) }

// oneCall is a stream whose only call has these arguments, given as JSON, null
// and objects too.
func oneCall(argsJSON string) string {
	return Called(ToolCall(`"index":0,"id":"w1","type":"function","function":{"name":"get_weather","arguments":` + argsJSON + `}`))
}

// SSE writes events, each one a chunk in JSON.
func SSE(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

// Delta is a chunk with one choice.
func Delta(fields string) string { return `{"choices":[{"index":0,"delta":{` + fields + `}}]}` }

// Finish is a chunk with a finish reason.
func Finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// Done is the end mark of a stream.
const Done = "[DONE]"

// Good is the shortest good answer.
var Good = SSE(Delta(`"content":"Good."`), Finish("stop"), Done)
