package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"fusebox/agent"
)

// quoted is a JSON string with <, > and & as they are, as models' servers write it.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// textChunk is a chunk with a piece of content.
func textChunk(s string) string { return delta(`"content":` + quoted(s)) }

// callChunk is a chunk with a whole call, or its beginning.
func callChunk(index int, id, name, args string) string {
	return toolCall(`"index":` + strconv.Itoa(index) + `,"id":` + quoted(id) + `,"type":"function","function":{"name":` + quoted(name) + `,"arguments":` + quoted(args) + `}`)
}

// argsChunk is a chunk with a piece of a call's arguments.
func argsChunk(index int, args string) string {
	return toolCall(`"index":` + strconv.Itoa(index) + `,"function":{"arguments":` + quoted(args) + `}`)
}

// answered is a stream that ends as an answer does, called as one with calls does.
func answered(events ...string) string {
	return sse(slices.Concat(events, []string{finish("stop"), done})...)
}
func called(events ...string) string {
	return sse(slices.Concat(events, []string{finish("tool_calls"), done})...)
}

// spelled is text in chunks of a few runes each, so that every mark in it is
// split somewhere.
func spelled(text string) (events []string) {
	for piece := range slices.Chunk([]rune(text), 5) {
		events = append(events, textChunk(string(piece)))
	}
	return events
}

// written is an answer of nothing but this text.
func written(text string) string { return answered(spelled(text)...) }

// oneCall is a stream whose only call has these arguments, given as JSON, null
// and objects too.
func oneCall(argsJSON string) string {
	return called(toolCall(`"index":0,"id":"w1","type":"function","function":{"name":"get_weather","arguments":` + argsJSON + `}`))
}

const rome = `{"city":"Rome"}`

// weather is a call of get_weather.
func weather(id, args string) agent.CallRequest {
	return agent.CallRequest{ID: id, Name: "get_weather", Arguments: args}
}

// theTime is a call of get_time.
func theTime(id string) agent.CallRequest {
	return agent.CallRequest{ID: id, Name: "get_time", Arguments: "{}"}
}

// said is an answer that is nothing but text.
func said(text string) want { return want{text: text, finish: "stop"} }

// asked is an answer that is nothing but calls.
func asked(list ...agent.CallRequest) want { return want{calls: list, finish: "tool_calls"} }

// count is how many deltas of a kind were seen.
func (w *watcher) count(kind agent.DeltaKind) (n int) {
	for _, d := range w.deltas {
		if d.Kind == kind {
			n++
		}
	}
	return n
}
