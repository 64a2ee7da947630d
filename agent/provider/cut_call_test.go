package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

const outputLimit = 8192

// halfWeather is a call that has lost its end, seen from its n-th character on.
const halfWeather = `{"city":"Rome amber17 birch803 ced`

// endedAs is a stream with a finish reason, and its usage unless that is "".
func endedAs(reason, usage string, events ...string) http.HandlerFunc {
	events = append(events, streamtest.Finish(reason))
	if usage != "" {
		events = append(events, `{"choices":[],"usage":`+usage+`}`)
	}
	return raw(streamtest.SSE(append(events, streamtest.Done)...))
}

// took is a usage of so many output tokens.
func took(output int) string {
	return fmt.Sprintf(`{"prompt_tokens":3000,"completion_tokens":%d,"total_tokens":%d}`, output, 3000+output)
}

// TestArgumentsCutAtTheLimit: a call that ends where the output limit was reached is not
// asked for again at full length. It never runs; its result names the limit and says to
// write in parts; calls before it run. Below the limit half a call is asked for in one piece.
func TestArgumentsCutAtTheLimit(t *testing.T) {
	t.Parallel()
	half := streamtest.Call(0, "w1", "get_weather", halfWeather)
	long := streamtest.Call(0, "w1", "get_weather", `{"city":"`+strings.Repeat("amber birch cedar ", outputLimit/3))
	whole := `"content":"","tool_calls":[{"id":"w2","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}}]`
	halfWhole := `"content":"","tool_calls":[{"id":"w1","type":"function","function":{"name":"get_weather","arguments":` + string(must1(json.Marshal(halfWeather))) + `}}]`
	for _, tc := range []struct {
		name     string
		model    Model
		answers  []http.HandlerFunc
		requests int // until the model is asked with the result
		limit    int // that the result names; 0 for no call that was cut
		ran      string
	}{
		{name: "at the limit", answers: []http.HandlerFunc{endedAs("length", took(8192), half)}, requests: 1, limit: 8192},
		{name: "one less than the limit", answers: []http.HandlerFunc{endedAs("length", took(8191), half)}, requests: 1, limit: 8192},
		{name: "another word for it", answers: []http.HandlerFunc{endedAs("MAX_TOKENS", took(8192), half)}, requests: 1, limit: 8192},
		{name: "most of it was thought", answers: []http.HandlerFunc{endedAs("length", `{"prompt_tokens":30,"completion_tokens":8192,"completion_tokens_details":{"reasoning_tokens":8150}}`, half)}, requests: 1, limit: 8192},
		{name: "thoughts counted beside it", answers: []http.HandlerFunc{endedAs("length", `{"prompt_tokens":30,"completion_tokens":42,"completion_tokens_details":{"reasoning_tokens":8150}}`, half)}, requests: 1, limit: 8192},
		{name: "no usage", answers: []http.HandlerFunc{endedAs("length", "", long)}, requests: 1, limit: 8192},
		{name: "no usage, and an end mark alone", answers: []http.HandlerFunc{raw(streamtest.SSE(long, streamtest.Done))}, requests: 1, limit: 8192},
		{name: "a usage of nothing", answers: []http.HandlerFunc{endedAs("length", took(0), long)}, requests: 1, limit: 8192},
		{name: "said to be whole", answers: []http.HandlerFunc{endedAs("tool_calls", took(8192), half)}, requests: 1, limit: 8192},
		{name: "in one piece", model: Model{WholeWithTools: true}, answers: []http.HandlerFunc{cutInOnePiece("length", halfWhole)}, requests: 1, limit: 8192},
		{name: "in one piece, said to be whole", model: Model{WholeWithTools: true}, answers: []http.HandlerFunc{cutInOnePiece("tool_calls", halfWhole)}, requests: 1, limit: 8192},
		{name: "before its arguments began", answers: []http.HandlerFunc{endedAs("length", took(8192), streamtest.Call(0, "w1", "get_weather", ""))}, requests: 1, limit: 8192},
		{name: "a lower limit of the model", model: Model{Extra: map[string]any{oldLimitName: 4096}}, answers: []http.HandlerFunc{endedAs("length", took(4096), half)}, requests: 1, limit: 4096},
		{name: "behind a whole call", answers: []http.HandlerFunc{endedAs("length", took(8192), streamtest.Call(0, "t1", "get_time", "{}"), streamtest.Call(1, "w1", "get_weather", halfWeather))}, requests: 1, limit: 8192, ran: "get_time"},
		{name: "broken arguments that could be mended", answers: []http.HandlerFunc{endedAs("length", took(8192), streamtest.Call(0, "w1", "get_weather", `{"city":"Rome",}`))}, requests: 1, limit: 8192},

		{name: "a limit that the server alone knows", answers: []http.HandlerFunc{endedAs("length", took(2048), half), endedAs("length", took(2048), half)}, requests: 2, limit: 2048},
		{name: "well below the limit", answers: []http.HandlerFunc{endedAs("length", took(60), half), wholeAnswerOf(whole)}, requests: 2, ran: "get_weather"},
		{name: "no usage, and short", answers: []http.HandlerFunc{endedAs("length", "", half), wholeAnswerOf(whole)}, requests: 2, ran: "get_weather"},
		{name: "half of the limit", answers: []http.HandlerFunc{endedAs("length", took(4096), half), wholeAnswerOf(whole)}, requests: 2, ran: "get_weather"},
		{name: "whole", answers: []http.HandlerFunc{endedAs("length", took(8192), streamtest.Call(0, "w1", "get_weather", streamtest.Rome))}, requests: 1, ran: "get_weather"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, srv := newStackOf(t, tc.model, tc.answers...)
			if run := s.run("Write me a book."); run.Status != agent.StatusFinished {
				t.Fatalf("run %s: %s", run.Status, run.StopReason)
			}
			if n := len(srv.requests()); n != tc.requests+1 {
				t.Fatalf("%d requests, want %d", n, tc.requests+1)
			}
			if got := strings.Join(s.tools.ran, " "); got != tc.ran {
				t.Errorf("ran %q, want %q", got, tc.ran)
			}
			last := srv.requests()[tc.requests]
			told := strings.Contains(last, fmt.Sprintf("output limit of %d tokens", tc.limit)) && strings.Contains(last, "write it in parts")
			if told != (tc.limit > 0) {
				t.Errorf("the model is told %.3000s", last)
			}
			if err := soundRequest(last); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTheSameCutAgainAndAgain: has an end, by a breaker.
func TestTheSameCutAgainAndAgain(t *testing.T) {
	t.Parallel()
	var answers []http.HandlerFunc
	for i := range 40 {
		answers = append(answers, endedAs("length", took(8192), streamtest.Call(0, fmt.Sprint("w", i), "get_weather", fmt.Sprintf(`{"city":"%d %s`, i, strings.Repeat("ced", i)))))
	}
	s, srv := newStackOf(t, Model{}, answers...)
	if run := s.run("Write me a book."); run.Status != agent.StatusPaused {
		t.Errorf("run %s", run.Status)
	}
	if n := len(srv.requests()); n > 4 || len(s.tools.ran) > 0 {
		t.Errorf("%d requests, ran %v", n, s.tools.ran)
	}
}

// newStackOf is a stack whose model is set up, and whose answers have a limit.
func newStackOf(t *testing.T, m Model, answers ...http.HandlerFunc) (*fixtureStack, *script) {
	t.Helper()
	s, srv := newStack(t, fixture{Fixture: streamtest.Fixture{Tools: true}}, answers...)
	m.Name = "m"
	p, _ := newProvider(t, srv.URL, func(c *Config) { c.Models, c.Clock, c.Retry.Max = []Model{m}, nil, 0 }) // what comes in one piece is typed out
	s.loop.Provider, s.loop.Counter, s.loop.Settings.MaxOutput = p, p, outputLimit
	return s, srv
}

// cutInOnePiece is an answer without pieces that took all that it could.
func cutInOnePiece(reason, message string) http.HandlerFunc {
	return raw(`{"choices":[{"index":0,"message":{`+message+`},"finish_reason":"`+reason+`"}],"usage":`+took(outputLimit)+`}`, "Content-Type: application/json")
}

func must1[T any](v T, _ error) T { return v }
