package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// lateEndpoint lists two models, and answers, from the time on that it is up.
type lateEndpoint struct{ up atomic.Bool }

func (e *lateEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !e.up.Load():
		http.Error(w, "starting", http.StatusServiceUnavailable)
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, "\xEF\xBB\xBF"+`["costs-much", {"id":7}, {"id":"costs-little"}, "text-embedding-1"]`)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Here."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}
}

// TestLateEndpointIsNoticed: an endpoint that comes up after the server is asked
// again within a minute. Of its models none is taken silently.
func TestLateEndpointIsNoticed(t *testing.T) {
	t.Parallel()
	late := &lateEndpoint{}
	srv := httptest.NewServer(late)
	t.Cleanup(srv.Close)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+srv.URL+"/v1")...)
	late.up.Store(true)
	a := p.admin()
	eventually(t, "the models of an endpoint that came up late", func() bool {
		_, list := a.call(http.MethodGet, "/api/v1/models", "")
		return strings.Contains(string(list), "costs-little")
	})
	_, list := a.call(http.MethodGet, "/api/v1/models", "")
	if strings.Contains(string(list), "embedding") || strings.Contains(string(list), `"default":true`) {
		t.Errorf("models %s", list)
	}
	silent := a.must("POST", "/api/v1/conversations", "{}")["id"].(string)
	if status, answer := a.call("POST", "/api/v1/conversations/"+silent+"/messages", `{"content":"hi"}`); status != http.StatusUnprocessableEntity || !strings.Contains(string(answer), "default model") {
		t.Errorf("%d %s", status, answer)
	}
	named := a.must("POST", "/api/v1/conversations", `{"model":"costs-little"}`)["id"].(string)
	if got := a.rests(a.post(named, "hi")); got["status"] != "finished" {
		t.Errorf("run is %v", got)
	}
}
