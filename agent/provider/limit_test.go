package provider

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/streamtest"
)

const (
	refusesOld = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
	refusesNew = "Unknown parameter: 'max_completion_tokens'."
)

// limitOf is the limit that a request names, under which name.
func limitOf(t *testing.T, body string) map[string]any {
	t.Helper()
	raw, named := read(t, body).raw, map[string]any{}
	for _, name := range []string{oldLimitName, newLimitName} {
		if v, ok := raw[name]; ok {
			named[name] = v
		}
	}
	return named
}

// TestEveryTryHasItsLimit: under the one name that the model takes, never
// higher than asked for, whatever is configured, in streams and in one piece.
func TestEveryTryHasItsLimit(t *testing.T) {
	t.Parallel()
	refusal := status(400, errorBody(refusesOld))
	plain := map[string]any{oldLimitName: 300.0}
	renamed := map[string]any{newLimitName: 300.0}
	for name, tc := range map[string]struct {
		model   Model
		answers []http.HandlerFunc
		want    []map[string]any
	}{
		"plain":                         {Model{}, []http.HandlerFunc{raw(streamtest.Good)}, []map[string]any{plain}},
		"tries":                         {Model{}, []http.HandlerFunc{status(503, ""), cutStream, raw(streamtest.Good)}, []map[string]any{plain, plain, plain}},
		"the new name":                  {Model{}, []http.HandlerFunc{refusal, status(503, ""), raw(streamtest.Good)}, []map[string]any{plain, renamed, renamed}},
		"a chain mended":                {Model{}, []http.HandlerFunc{broken("x"), broken("x"), wholeAnswerOf(wholeCall)}, []map[string]any{plain, plain, plain}},
		"in one piece":                  {Model{WholeWithTools: true}, []http.HandlerFunc{wholeAnswerOf(wholeCall)}, []map[string]any{plain}},
		"a higher one configured":       {Model{Extra: map[string]any{oldLimitName: 4000}}, []http.HandlerFunc{raw(streamtest.Good)}, []map[string]any{plain}},
		"a lower one configured":        {Model{Extra: map[string]any{oldLimitName: int64(40)}}, []http.HandlerFunc{raw(streamtest.Good)}, []map[string]any{{oldLimitName: 40.0}}},
		"the new name configured":       {Model{Extra: map[string]any{newLimitName: 4000.0}}, []http.HandlerFunc{raw(streamtest.Good)}, []map[string]any{renamed}},
		"no end configured":             {Model{Extra: map[string]any{oldLimitName: -1}}, []http.HandlerFunc{raw(streamtest.Good)}, []map[string]any{plain}},
		"the refused name configured":   {Model{Extra: map[string]any{oldLimitName: 4000}}, []http.HandlerFunc{refusal, raw(streamtest.Good)}, []map[string]any{plain, renamed}},
		"something else configured":     {Model{Extra: map[string]any{oldLimitName: "many"}}, []http.HandlerFunc{raw(streamtest.Good)}, []map[string]any{plain}},
		"neither name, learned in turn": {Model{}, []http.HandlerFunc{refusal, status(400, errorBody(refusesNew)), raw(streamtest.Good)}, []map[string]any{plain, renamed, {}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, tc.answers...)
			tc.model.Name = "m"
			p, _ := newProvider(t, srv.URL, func(c *Config) {
				c.Models, c.Clock, c.Retry.Base = []Model{tc.model}, nil, time.Millisecond // what comes in one piece is typed out
			})
			req := asksOnce
			req.MaxTokens = 300
			if _, err := p.Complete(t.Context(), req, (&watcher{}).sink); err != nil {
				t.Fatal(err)
			}
			var got []map[string]any
			for _, body := range srv.requests() {
				got = append(got, limitOf(t, body))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

// endless refuses every limit, and then writes one event again and again for
// as long as somebody reads. gone is closed when nobody does.
func endless(t *testing.T, first, event string) (srv *script, gone chan struct{}) {
	t.Helper()
	gone = make(chan struct{})
	return serve(t, status(400, errorBody(refusesOld)), status(400, errorBody(refusesNew)), func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		_, _ = io.WriteString(w, streamtest.SSE(first))
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, streamtest.SSE(event)); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
	}), gone
}

// TestEndlessAnswersAreCut: where an endpoint takes no limit, or does not hold
// it, the stream is ended here, within the margin; and nobody asks again for a
// call that broke by it, which is told to be cut.
func TestEndlessAnswersAreCut(t *testing.T) {
	t.Parallel()
	const limit, most = 200, 200 + 20 + agent.OverTokens
	for name, tc := range map[string]struct {
		first, event string
		reasoning    bool
	}{
		"text":      {streamtest.Delta(`"role":"assistant"`), streamtest.Delta(`"content":"and so on, "`), false},
		"reasoning": {streamtest.Delta(`"role":"assistant"`), streamtest.Delta(`"reasoning_content":"Hm, and then? "`), true},
		"thinking":  {streamtest.Delta(`"content":"<think>"`), streamtest.Delta(`"content":"Hm, and then? "`), true},
		"a call":    {streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"look","arguments":"{\"x\":\""}`), streamtest.ToolCall(`"index":0,"function":{"arguments":"and so on, "}`), false},
		"letters":   {streamtest.Delta(`"role":"assistant"`), streamtest.Delta(`"content":"字"`), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, gone := endless(t, tc.first, tc.event)
			p, clk := newProvider(t, srv.URL)
			w := &watcher{clk: clk}
			req := asksOnce
			req.MaxTokens = limit
			got, err := p.Complete(t.Context(), req, w.sink)
			if err != nil || got.FinishReason != "length" || len(got.Cut.IDs) != len(got.Calls) || (len(got.Calls) > 0) != (name == "a call") {
				t.Fatalf("%v, finish reason %q, calls %+v", err, got.FinishReason, got.Calls)
			}
			if n := got.Usage.OutputTokens; !got.Usage.Estimated || n <= limit || n > most+uncounted || (got.Usage.ReasoningTokens > limit/2) != tc.reasoning {
				t.Errorf("usage %+v", got.Usage)
			}
			if page := w.assembled(); page.Content != got.Content || page.Reasoning != got.Reasoning {
				t.Errorf("the page shows %q after %q", page.Content, page.Reasoning)
			}
			if n := len(srv.requests()); n != 3 {
				t.Errorf("%d requests", n)
			}
			agenttest.Receive(t, "the end of the connection", gone)
		})
	}
}

// TestWhatCountsAgainstTheLimit: also what the endpoint itself counts; nothing
// that is within the margin; and no answer that has come to its end.
func TestWhatCountsAgainstTheLimit(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("word ", 60)
	usage := func(n string) string { return `,"usage":{"prompt_tokens":9,"completion_tokens":` + n + `}` }
	for name, tc := range map[string]struct {
		body  string
		limit int64
		cut   bool
		want  agent.Usage
	}{
		"within the margin": {streamtest.SSE(streamtest.Delta(`"content":"`+words+`"`), streamtest.Finish("stop"), toldChunk, streamtest.Done), 50, false, agent.Usage{Tokens: agent.Tokens{InputTokens: 20, OutputTokens: 5}}},
		"no limit":          {streamtest.SSE(streamtest.Delta(`"content":"`+strings.Repeat(words, 20)+`"`), streamtest.Finish("stop"), toldChunk, streamtest.Done), 0, false, agent.Usage{Tokens: agent.Tokens{InputTokens: 20, OutputTokens: 5}}},
		"beyond, at its end": {streamtest.SSE(`{"choices":[{"index":0,"delta":{"content":"`+strings.Repeat(words, 5)+`"},"finish_reason":"stop"}]}`, toldChunk, streamtest.Done), 50, false,
			agent.Usage{Tokens: agent.Tokens{InputTokens: 20, OutputTokens: 5}}},
		"hidden thoughts": {streamtest.SSE(sunnyChunk(usage("100")), sunnyChunk(usage("300")), sunnyChunk(usage("500"))), 150, true, agent.Usage{Tokens: agent.Tokens{InputTokens: 9, OutputTokens: 300}}},
	} {
		p, _ := newProvider(t, serve(t, raw(tc.body)).URL, func(c *Config) { c.Retry.Max = 0 })
		req := hello()
		req.MaxTokens = tc.limit
		got, err := p.Complete(t.Context(), req, (&watcher{}).sink)
		if err != nil || (got.FinishReason == "length") != tc.cut || got.Usage != tc.want {
			t.Errorf("%s: %v, finish reason %q, usage %+v", name, err, got.FinishReason, got.Usage)
		}
	}
}

// TestWhatWasCutIsCounted: a count from before the cut is too low.
func TestWhatWasCutIsCounted(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 300)
	body := streamtest.SSE(sunnyChunk(`,"usage":{"prompt_tokens":9,"completion_tokens":1}`), streamtest.Delta(`"content":"`+text+`"`), streamtest.Finish("stop"), streamtest.Done)
	p, _ := newProvider(t, serve(t, raw(body)).URL, func(c *Config) { c.Retry.Max = 0 })
	req := hello()
	req.MaxTokens = 50
	got, err := p.Complete(t.Context(), req, (&watcher{}).sink)
	if err != nil || got.FinishReason != "length" || !got.Usage.Estimated || got.Usage.InputTokens != 9 || got.Usage.OutputTokens < p.CountText(text) {
		t.Errorf("%v, finish reason %q, usage %+v", err, got.FinishReason, got.Usage)
	}
}
