package provider

import (
	"bytes"
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
	"fusebox/agent/provider/streamtest"
)

// fixture is a stream of the table, asked for and checked.
type fixture struct{ streamtest.Fixture }

// allFixtures is the whole table.
func allFixtures() []fixture {
	all := streamtest.All()
	list := make([]fixture, len(all))
	for i, f := range all {
		list[i] = fixture{f}
	}
	return list
}

// small is up to which size a body is tried at every byte; beyond it, tries
// bounds how often and work how many bytes are read for it in all.
const (
	small = 4 << 10
	tries = 200
	work  = 24 << 20
)

func (f fixture) request() agent.Request {
	req := agent.Request{Model: "m", Messages: append(slices.Clone(f.History), historytest.Says("What is the weather in Rome?"))}
	if f.Tools {
		req.Tools = streamtest.Offered
	}
	return req
}

// serve answers with the body, byte for byte where it is small.
func (f fixture) serve(w http.ResponseWriter, req *http.Request) { f.inPieces(1)(w, req) }

// inPieces answers with the body, in pieces of so many bytes where it is small.
func (f fixture) inPieces(of int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { f.write(w, of) }
}

func (f fixture) write(w http.ResponseWriter, of int) {
	w.Header().Set("Content-Type", "text/event-stream")
	if f.ContentType != "" {
		w.Header().Set("Content-Type", f.ContentType)
	}
	if len(f.Body) >= small {
		_, _ = io.WriteString(w, f.Body)
		return
	}
	flusher := http.NewResponseController(w)
	for piece := range slices.Chunk([]byte(f.Body), of) {
		_, _ = w.Write(piece)
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
		if known[f.Name] || f.Quirk == "" {
			t.Errorf("%q has no quirk or is there twice", f.Name)
		}
		known[f.Name] = true
		t.Run(f.Quirk+"/"+f.Name, func(t *testing.T) {
			t.Parallel()
			got, w, err := f.ask(t, f.serve)
			f.checkPage(t, got, w)
			if f.Want.Err != "" {
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
	if page.Content != f.Want.Text || page.Reasoning != f.Want.Reasoning {
		t.Errorf("the page shows %s after %s, want %s after %s",
			brief(page.Content), brief(page.Reasoning), brief(f.Want.Text), brief(f.Want.Reasoning))
	}
	if got.Content != page.Content || got.Reasoning != page.Reasoning {
		t.Errorf("the completion says %s after %s, the page %s after %s",
			brief(got.Content), brief(got.Reasoning), brief(page.Content), brief(page.Reasoning))
	}
	if f.Want.Err == "" {
		for i := range page.Calls {
			page.Calls[i].Arguments = answer.RepairArguments(page.Calls[i].Arguments) // the page sees them as they came
		}
		if diff := cmp.Diff(got.Calls, page.Calls); diff != "" {
			t.Errorf("the page's calls (-completion +page):\n%s", diff)
		}
	}
	if n := w.count(agent.DeltaReset); (n > 0) != f.Want.Reset {
		t.Errorf("%d resets", n)
	}
	if n := w.count(agent.DeltaNotice); (n > 0) != f.Want.Notice {
		t.Errorf("%d notices", n)
	}
}

func (f fixture) checkFailure(t *testing.T, got agent.Completion, err error) {
	t.Helper()
	var failed *agent.ProviderError
	if !errors.As(err, &failed) {
		t.Fatalf("want a failure, got %+v, %v", got, err)
	}
	if !strings.Contains(failed.Message, f.Want.Err) || failed.Retryable != f.Want.Retryable {
		t.Errorf("%q (retryable: %t), want %q (retryable: %t)", failed.Message, failed.Retryable, f.Want.Err, f.Want.Retryable)
	}
	if len(got.Calls) > 0 {
		t.Errorf("a failed answer has calls: %+v", got.Calls)
	}
}

func (f fixture) checkAnswer(t *testing.T, got agent.Completion) {
	t.Helper()
	if got.FinishReason != f.Want.Finish {
		t.Errorf("finish reason %q, want %q", got.FinishReason, f.Want.Finish)
	}
	if (got.Mistake == "") != (f.Want.Mistake == "") || !strings.Contains(got.Mistake, f.Want.Mistake) {
		t.Errorf("mistake %q, want %q", got.Mistake, f.Want.Mistake)
	}
	if diff := cmp.Diff(f.Want.Calls, madeUpLeftOut(t, got.Calls, f.Want.Calls)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if got.Usage.Estimated && (f.Want.Usage == agent.Usage{}) {
		if got.Usage.InputTokens == 0 {
			t.Errorf("usage %+v", got.Usage)
		}
		return
	}
	if diff := cmp.Diff(f.Want.Usage, got.Usage); diff != "" {
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
	return string(bytes.TrimSpace([]byte(streamtest.Quoted(s))))
}
