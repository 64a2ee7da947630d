package provider

import (
	"strings"
	"testing"

	"fusebox/agent/provider/streamtest"
)

// TestWhoAnswered: the endpoint by its name, and the call as it is known there:
// by the header for it, else by the completion's own id, in plain short letters.
func TestWhoAnswered(t *testing.T) {
	t.Parallel()
	body := func(id string) string {
		return streamtest.SSE(`{"id":`+id+`,"choices":[{"index":0,"delta":{"content":"Hi"}}]}`, `{"id":"another","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, streamtest.Done)
	}
	for name, tc := range map[string]struct {
		id      string
		headers []string
		want    string
	}{
		"the header":              {`"chatcmpl-1"`, []string{"X-Request-Id: req_1"}, "req_1"},
		"the id":                  {`"chatcmpl-1"`, nil, "chatcmpl-1"},
		"a number":                {`17`, nil, "17"},
		"neither":                 {`null`, nil, "another"},
		"of the way, not of it":   {`"chatcmpl-1"`, []string{"Cf-Ray: 8f0-FRA", "X-Amzn-Trace-Id: Root=1"}, "chatcmpl-1"},
		"a header without any":    {`"chatcmpl-1"`, []string{"X-Request-Id:   "}, "chatcmpl-1"},
		"a long one":              {`"` + strings.Repeat("x", 5000) + `"`, nil, strings.Repeat("x", mostRequestID)},
		"marks and other scripts": {`"<a>\u0000\n字\u001b[31m 1\u202e"`, nil, "<a>[31m1"},
		"the key":                 {`"id-` + testKey + `"`, nil, "id-[key]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := newProvider(t, serve(t, raw(body(tc.id), tc.headers...)).URL, func(c *Config) { c.Name = "here" })
			got, err := complete(t, p, &watcher{})
			if err != nil || got.RequestID != tc.want || got.Provider != "here" {
				t.Errorf("%v: %q of %q, want %q", err, got.RequestID, got.Provider, tc.want)
			}
		})
	}
}

// TestTheNameIsOfTheLastTry: a failed one has another.
func TestTheNameIsOfTheLastTry(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(streamtest.SSE(`{"id":"first","choices":[{"index":0,"delta":{"content":"a"}}]}`), "X-Request-Id: req_1"), raw(streamtest.Good, "X-Request-Id: req_2"))
	p, clk := newProvider(t, srv.URL)
	got, err := complete(t, p, &watcher{clk: clk})
	if err != nil || got.RequestID != "req_2" || got.Provider != "" {
		t.Errorf("%v: %q of %q", err, got.RequestID, got.Provider)
	}
	p, _ = newProvider(t, serve(t, raw(streamtest.SSE(`{"id":"cut","choices":[{"index":0,"delta":{"content":"a"}}]}`))).URL, func(c *Config) { c.Retry.Max = 0 })
	if got, err := complete(t, p, &watcher{}); err == nil || got.RequestID != "cut" {
		t.Errorf("%v: a call that failed is named %q", err, got.RequestID)
	}
}
