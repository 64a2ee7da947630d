package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"fusebox/agent/agenttest"
)

// lateEndpoint lists two models, and answers, from the time on that it is up.
type lateEndpoint struct{ up atomic.Bool }

func (e *lateEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !e.up.Load():
		http.Error(w, "starting", http.StatusServiceUnavailable)
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, "\xEF\xBB\xBF"+`["first-model", {"id":7}, {"id":"second-model"}, "text-embedding-1"]`)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Here."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}
}

// TestLateEndpointIsNoticed: an endpoint that comes up after the server is asked
// again soon. None of its models is the default one; a program that names none
// gets the first, as none has a price.
func TestLateEndpointIsNoticed(t *testing.T) {
	t.Parallel()
	late := &lateEndpoint{}
	srv := httptest.NewServer(late)
	t.Cleanup(srv.Close)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+srv.URL+"/v1")...)
	late.up.Store(true)
	a := p.admin()
	agenttest.Eventually(t, "the models of an endpoint that came up late", func() bool {
		_, list := a.call(http.MethodGet, "/api/v1/models", "")
		return strings.Contains(string(list), "second-model")
	})
	_, list := a.call(http.MethodGet, "/api/v1/models", "")
	if strings.Contains(string(list), "embedding") || strings.Contains(string(list), `"default":true`) {
		t.Errorf("models %s", list)
	}
	for body, want := range map[string]string{"{}": "first-model", `{"model":"second-model"}`: "second-model"} {
		id := a.must("POST", "/api/v1/conversations", body)["id"].(string)
		if got := a.rests(a.post(id, "hi")); got["status"] != "finished" || got["model"] != want {
			t.Errorf("%s: run is %v", body, got)
		}
	}
}
