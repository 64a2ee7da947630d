package provider

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/provider/history/historytest"
)

// TestAnyHistoryIsAccepted repairs random histories, and lets a strict endpoint judge.
func TestAnyHistoryIsAccepted(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(demo.Handler(demo.Options{}))
	t.Cleanup(srv.Close)
	p, _ := newProvider(t, srv.URL, func(c *Config) {
		c.HTTPClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	})
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		past := historytest.Any(r)
		req := agent.Request{Model: "demo", Messages: append(past, historytest.Says("hello"))}
		if _, err := p.Complete(t.Context(), req, (&watcher{}).sink); err != nil {
			t.Fatalf("%v for %+v", err, past)
		}
	}
}
