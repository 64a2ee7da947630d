package looptest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// faultKey is the endpoint's key. The server repeats it in all that it says of
// its faults.
const faultKey = "sk-test-4f1d0c7b9e2a4c68"

// What the person writes and the healthy model answers.
const (
	firstPost  = "How is it?"
	secondPost = "And now?"
	textLooks  = "Let me look. "
	textTells  = "All is well."
	textLast   = "Still well."
)

// modelAnswer is one answer of the model, as a stream and in one piece.
type modelAnswer struct {
	chunks []string
	whole  string
}

func chunkOf(delta string) string { return `{"choices":[{"index":0,"delta":{` + delta + `}}]}` }

func callHead(index int, id, name string) string {
	return chunkOf(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]`, index, id, name))
}

func callArgs(index int, args string) string {
	return chunkOf(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%q}}]`, index, args))
}

func streamEnd(reason string) []string {
	return []string{
		fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason),
		`{"choices":[],` + faultUsage + `}`, "[DONE]",
	}
}

const faultUsage = `"usage":{"prompt_tokens":40,"completion_tokens":9,"total_tokens":49}`

func answering(text string) modelAnswer {
	return modelAnswer{
		chunks: append([]string{chunkOf(fmt.Sprintf(`"content":%q`, text))}, streamEnd("stop")...),
		whole:  fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],%s}`, text, faultUsage),
	}
}

var (
	answerTells = answering(textTells)
	answerLast  = answering(textLast)
	answerLooks = modelAnswer{
		chunks: append([]string{
			chunkOf(`"role":"assistant","content":"Let me "`), chunkOf(`"content":"look. "`), // after text
			callHead(0, "c1", "look"), callArgs(0, `{"x"`), callArgs(0, `:1}`),
			callHead(1, "c2", "count"), callArgs(1, `{"n"`), // in a call
			callArgs(1, `:2}`), // after the last call
		}, streamEnd("tool_calls")...),
		whole: `{"choices":[{"index":0,"message":{"role":"assistant","content":"Let me look. ","tool_calls":[` +
			`{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"x\":1}"}},` +
			`{"id":"c2","type":"function","function":{"name":"count","arguments":"{\"n\":2}"}}]},` +
			`"finish_reason":"tool_calls"}],` + faultUsage + `}`,
	}
)

// faultPlace is where answerLooks is broken: behind how many chunks, which are
// how many pieces for the loop.
type faultPlace struct {
	name           string
	chunks, pieces int
}

var faultPlaces = []faultPlace{
	{"before the first byte", 0, 0},
	{"after text", 2, 2},
	{"in a call", 7, 7}, // the first call is whole, the second one is not
	{"after the last call", 8, 8},
}

// fault is one way in which an endpoint fails.
type fault struct {
	name string
	// strike ends the connection, behind what was streamed up to a place.
	strike  func(*faultExchange, faultPlace)
	refused bool // there is no connection
	// streams says that it can strike in the middle of a stream.
	streams bool
	// mute says that nothing is sent of an answer in one piece that it strikes.
	mute bool
	// fatal is not retried, harmless is not a fault for the one who asks.
	fatal, harmless bool
	status          int // as it is shown
	asks            time.Duration
}

var (
	cutFault = fault{name: "EOF", streams: true, strike: func(*faultExchange, faultPlace) {}}
	faults   = []fault{
		{name: "connection refused", refused: true},
		{name: "reset", streams: true, strike: func(x *faultExchange, _ faultPlace) { _ = x.SetLinger(0) }},
		cutFault,
		{name: "stall", streams: true, mute: true, strike: func(x *faultExchange, _ faultPlace) { x.server.clock.outwait(x.try) }},
		statusFault(408, "timeout"), fatalFault(statusFault(409, "conflict")), statusFault(425, "too_early"),
		askingFault(statusFault(429, "rate_limit_exceeded"), time.Second), statusFault(429, "rate_limit_exceeded"), billingFault(),
		statusFault(500, "server_error"), statusFault(502, "bad_gateway"), statusFault(503, "service_unavailable"),
		statusFault(504, "gateway_timeout"), statusFault(529, "overloaded_error"),
		{name: "error in the stream", streams: true, status: 500, strike: errorInStream},
		bodyFault("HTML with 200", 0, "text/html", func(x *faultExchange) string {
			return "<!doctype html><title>Sorry</title><p>Come back later, " + x.echo() + ".</p>"
		}),
		bodyFault("JSON error with 200", 529, "application/json", func(x *faultExchange) string { return x.errorBody("overloaded_error") }),
		bodyFault("empty body", 0, "text/event-stream", func(*faultExchange) string { return "" }),
		harmlessFault(bodyFault("whole JSON", 0, "application/json", func(x *faultExchange) string { return x.answer.whole })),
	}
)

func statusFault(code int, kind string) fault {
	return fault{name: fmt.Sprint(code), status: code, strike: func(x *faultExchange, _ faultPlace) {
		x.say(code, "application/json", "", x.errorBody(kind))
	}}
}

// askingFault is a fault that says how long to wait.
func askingFault(f fault, wait time.Duration) fault {
	code := f.status
	f.name, f.asks = f.name+" with Retry-After", wait
	f.strike = func(x *faultExchange, _ faultPlace) {
		x.say(code, "application/json", fmt.Sprintf("Retry-After: %d\r\n", int(wait.Seconds())), x.errorBody("rate_limit_exceeded"))
	}
	return f
}

func billingFault() fault {
	f := fatalFault(statusFault(429, "insufficient_quota"))
	f.name = "429 billing"
	return f
}

func fatalFault(f fault) fault {
	f.fatal = true
	return f
}

func bodyFault(name string, shown int, kind string, text func(*faultExchange) string) fault {
	return fault{name: name, status: shown, strike: func(x *faultExchange, _ faultPlace) { x.say(http.StatusOK, kind, "", text(x)) }}
}

func harmlessFault(f fault) fault {
	f.harmless = true
	return f
}

func errorInStream(x *faultExchange, at faultPlace) {
	if at.chunks == 0 {
		x.say(http.StatusOK, "text/event-stream", "", "")
	}
	x.write("data: " + x.errorBody("server_error") + "\n\n")
}

// say writes the head of a response and the beginning of its body, which ends
// with the connection.
func (x *faultExchange) say(code int, kind, headers, body string) {
	x.write(fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%sConnection: close\r\n\r\n%s", code, http.StatusText(code), kind, headers, body))
}

// stream sends the first n chunks of the answer, or as many as there are.
func (x *faultExchange) stream(n int) {
	x.say(http.StatusOK, "text/event-stream", "", "")
	for _, c := range x.answer.chunks[:min(n, len(x.answer.chunks))] {
		x.write("data: " + c + "\n\n")
	}
}

// write takes no note of a client that has gone.
func (x *faultExchange) write(text string) { _, _ = x.Write([]byte(text)) }

func (x *faultExchange) errorBody(kind string) string {
	return fmt.Sprintf(`{"error":{"message":"Not now, %s; ask again.","type":%q,"code":%q}}`, x.echo(), kind, kind)
}

// echo repeats the key, with and without what stands before it.
func (x *faultExchange) echo() string {
	x.server.mu.Lock()
	defer x.server.mu.Unlock()
	x.server.echoed++
	return x.auth + " (key=" + strings.TrimPrefix(x.auth, "Bearer ") + ")"
}
