package streamtest

import (
	"encoding/json"
	"slices"

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
