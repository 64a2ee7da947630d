package provider

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/demo"
	"fusebox/agent/provider/streamtest"
)

func TestShownTextIsVoidedBeforeTheNextTry(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(streamtest.SSE(streamtest.Delta(`"content":"Half"`), streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"f","arguments":"{"}`))), raw(streamtest.Good))
	p, clk := newProvider(t, srv.URL)
	w := &watcher{clk: clk}
	if _, err := complete(t, p, w); err != nil {
		t.Fatal(err)
	}
	var kinds []agent.DeltaKind
	for _, d := range w.deltas {
		kinds = append(kinds, d.Kind)
	}
	want := []agent.DeltaKind{agent.DeltaText, agent.DeltaCallStart, agent.DeltaCallArgs, agent.DeltaRetry, agent.DeltaReset, agent.DeltaText}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("deltas (-want +got):\n%s", diff)
	}
	if got := w.assembled(); got.Content != "Good." || len(got.Calls) != 0 {
		t.Errorf("assembled %+v", got)
	}
}

func TestFailureKeepsWhatWasShownAndNoCall(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(streamtest.SSE(streamtest.Delta(`"content":"Half"`), streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`))))
	p, _ := newProvider(t, srv.URL, func(c *Config) { c.Retry.Max = 0 })
	got, err := complete(t, p, &watcher{})
	if err == nil || got.Content != "Half" || len(got.Calls) != 0 || !got.Usage.Estimated || got.Usage.InputTokens == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNeitherKeyNorEndlessTextIsShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("字", 5000)
	body := errorBody("Incorrect API key provided: " + testKey + " or sk-other-99999999 or Bearer abcdefghijklmnopqrstuvwx " + long)
	for _, code := range []int{401, 500} {
		srv := serve(t, status(code, body))
		var log strings.Builder
		p, clk := newProvider(t, srv.URL, func(c *Config) {
			c.Retry.Max = 1
			c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		w := &watcher{clk: clk}
		_, err := complete(t, p, w)
		var failed *agent.ProviderError
		if !errors.As(err, &failed) || len([]rune(failed.Message)) > mostText+100 || !strings.Contains(failed.Message, "Incorrect API key") {
			t.Fatalf("err = %v", err)
		}
		seen := fmt.Sprintf("%v %+v %#v %v %s %+v", err, failed, failed.Message, failed.Err, log.String(), w.deltas)
		for _, secret := range []string{testKey, "0123456789abcdef", "sk-other", "abcdefghijklmnop"} {
			if strings.Contains(seen, secret) {
				t.Errorf("status %d shows %q: %s", code, secret, seen)
			}
		}
		if srv.auth[0] != "Bearer "+testKey {
			t.Errorf("Authorization %q", srv.auth[0])
		}
	}
}

func TestTheKeyStaysWithItsEndpoint(t *testing.T) {
	t.Parallel()
	other := serve(t, raw(streamtest.Good))
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
	})
	p, _ := newProvider(t, srv.URL)
	_, err := complete(t, p, &watcher{})
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || failed.Retryable || len(other.requests()) != 0 {
		t.Errorf("%v; the other host got %d requests", err, len(other.requests()))
	}
}

func TestDemoModelsRetryTestEndsInItsAnswer(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(demo.Handler(demo.Options{}))
	t.Cleanup(srv.Close)
	p, clk := newProvider(t, srv.URL)
	w := &watcher{clk: clk}
	got, err := p.Complete(t.Context(), agent.Request{Model: "demo", Messages: []agent.Message{{Role: agent.FromUser, Content: "test retry"}}}, w.sink)
	if err != nil || len(w.retries()) != 3 || got.Usage.Estimated || !strings.Contains(got.Content, "three") || w.assembled().Content != got.Content {
		t.Errorf("%+v, %v, %d retries", got, err, len(w.retries()))
	}
}

var errSink = errors.New("the guard cuts here")

func TestASinksErrorEndsTheStream(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), streamtest.Delta(`"content":"one "`), streamtest.Delta(`"content":"two "`), streamtest.Delta(`"content":"three"`)))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	p, _ := newProvider(t, srv.URL)
	w := &watcher{stop: func(d agent.Delta) error {
		if d.Text == "two " {
			return errSink
		}
		return nil
	}}
	got, err := complete(t, p, w)
	if !errors.Is(err, errSink) || got.Content != "one two " || len(got.Calls) != 0 || !got.Usage.Estimated || got.Usage.OutputTokens == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	agenttest.Receive(t, "the end of the connection", gone)
	if len(srv.requests()) != 1 {
		t.Errorf("%d requests", len(srv.requests()))
	}
}
