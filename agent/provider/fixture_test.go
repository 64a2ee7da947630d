package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history/historytest"
)

// fixture is a body as some endpoint sends it and what must come of it.
type fixture struct {
	name        string
	quirk       string // the habit it shows
	tools       bool   // whether fixtureTools were offered
	body        string
	contentType string // "" is that of a stream
	want        want
	history     []agent.Message // before the question
}

// want is what must come of a fixture. A call without an id may have any that
// is unique; no usage means that it is estimated.
type want struct {
	text, reasoning string
	calls           []agent.CallRequest
	usage           agent.Usage
	finish          string
	reset           bool // the page has to take something back
	notice          bool // the person hears that a call was not run

	err       string // part of the failure's sentence, "" where it is none
	retryable bool
}

// allFixtures is the whole table.
func allFixtures() []fixture {
	return slices.Concat(callFixtures, nameFixtures, argumentFixtures, finishFixtures, bodyFixtures, usageFixtures,
		reasoningFixtures, thinkFixtures, markupFixtures, quotedFixtures, framingFixtures, errorFixtures)
}

// fixtureTools are offered where a fixture says so.
var fixtureTools = []agent.ToolSpec{
	{Name: "get_weather", Effect: agent.EffectRead, Description: "The weather of a city.", Parameters: json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}`)},
	{Name: "get_time", Effect: agent.EffectRead, Description: "What time it is.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
}

// small is up to which size a body is tried at every byte; beyond it, tries
// bounds how often and work how many bytes are read for it in all.
const (
	small = 4 << 10
	tries = 200
	work  = 24 << 20
)

func (f fixture) request() agent.Request {
	req := agent.Request{Model: "m", Messages: append(slices.Clone(f.history), historytest.Says("What is the weather in Rome?"))}
	if f.tools {
		req.Tools = fixtureTools
	}
	return req
}

// serve answers with the body, byte for byte where it is small.
func (f fixture) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if f.contentType != "" {
		w.Header().Set("Content-Type", f.contentType)
	}
	if len(f.body) >= small {
		_, _ = io.WriteString(w, f.body)
		return
	}
	flusher := http.NewResponseController(w)
	for i := range len(f.body) {
		_, _ = io.WriteString(w, f.body[i:i+1])
		_ = flusher.Flush()
	}
}

// ask sends the fixture's request over a true connection, once.
func (f fixture) ask(t *testing.T, answer http.HandlerFunc) (agent.Completion, *watcher, error) {
	t.Helper()
	srv := serve(t, answer)
	p, _ := newProvider(t, srv.URL, func(c *Config) { c.Retry.Max = 0 })
	w := &watcher{}
	got, err := p.Complete(t.Context(), f.request(), w.sink)
	if n := len(srv.requests()); err == nil && n != 1 {
		t.Errorf("%d requests", n)
	}
	return got, w, err
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, f := range allFixtures() {
		if known[f.name] || f.quirk == "" {
			t.Errorf("%q has no quirk or is there twice", f.name)
		}
		known[f.name] = true
		t.Run(f.quirk+"/"+f.name, func(t *testing.T) {
			t.Parallel()
			got, w, err := f.ask(t, f.serve)
			f.checkPage(t, got, w)
			if f.want.err != "" {
				f.checkFailure(t, got, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			f.checkAnswer(t, got)
		})
	}
}

// checkPage checks what a watcher puts together against the completion.
func (f fixture) checkPage(t *testing.T, got agent.Completion, w *watcher) {
	t.Helper()
	page := w.assembled()
	if page.Content != f.want.text || page.Reasoning != f.want.reasoning {
		t.Errorf("the page shows %s after %s, want %s after %s",
			brief(page.Content), brief(page.Reasoning), brief(f.want.text), brief(f.want.reasoning))
	}
	if got.Content != page.Content || got.Reasoning != page.Reasoning {
		t.Errorf("the completion says %s after %s, the page %s after %s",
			brief(got.Content), brief(got.Reasoning), brief(page.Content), brief(page.Reasoning))
	}
	if f.want.err == "" {
		for i := range page.Calls {
			page.Calls[i].Arguments = answer.RepairArguments(page.Calls[i].Arguments) // the page sees them as they came
		}
		if diff := cmp.Diff(got.Calls, page.Calls); diff != "" {
			t.Errorf("the page's calls (-completion +page):\n%s", diff)
		}
	}
	if n := w.count(agent.DeltaReset); (n > 0) != f.want.reset {
		t.Errorf("%d resets", n)
	}
	if n := w.count(agent.DeltaNotice); (n > 0) != f.want.notice {
		t.Errorf("%d notices", n)
	}
}

func (f fixture) checkFailure(t *testing.T, got agent.Completion, err error) {
	t.Helper()
	var failed *agent.ProviderError
	if !errors.As(err, &failed) {
		t.Fatalf("want a failure, got %+v, %v", got, err)
	}
	if !strings.Contains(failed.Message, f.want.err) || failed.Retryable != f.want.retryable {
		t.Errorf("%q (retryable: %t), want %q (retryable: %t)", failed.Message, failed.Retryable, f.want.err, f.want.retryable)
	}
	if len(got.Calls) > 0 {
		t.Errorf("a failed answer has calls: %+v", got.Calls)
	}
}

func (f fixture) checkAnswer(t *testing.T, got agent.Completion) {
	t.Helper()
	if got.FinishReason != f.want.finish {
		t.Errorf("finish reason %q, want %q", got.FinishReason, f.want.finish)
	}
	if diff := cmp.Diff(f.want.calls, madeUpLeftOut(t, got.Calls, f.want.calls)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if got.Usage.Estimated && (f.want.usage == agent.Usage{}) {
		if got.Usage.InputTokens == 0 {
			t.Errorf("usage %+v", got.Usage)
		}
		return
	}
	if diff := cmp.Diff(f.want.usage, got.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

// madeUpLeftOut checks that ids are unique, and empties those that the provider
// did not give.
func madeUpLeftOut(t *testing.T, got, want []agent.CallRequest) []agent.CallRequest {
	t.Helper()
	got = slices.Clone(got)
	ids := map[string]bool{}
	for i := range got {
		id := got[i].ID
		if id == "" || ids[id] {
			t.Errorf("the id %q is empty or there twice", id)
		}
		ids[id] = true
		if i < len(want) && want[i].ID == "" {
			got[i].ID = ""
		}
	}
	return got
}

func brief(s string) string {
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return string(bytes.TrimSpace([]byte(quoted(s))))
}
