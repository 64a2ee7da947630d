package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent/demo"
	"fusebox/agent/provider"
)

// endpoint is a demo model behind HTTP that can be switched off, and knows
// which keys it was sent.
type endpoint struct {
	*httptest.Server
	mu   sync.Mutex
	down bool
	keys map[string]bool
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{keys: map[string]bool{}}
	model := demo.Handler(demo.Options{})
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.keys[r.Header.Get("Authorization")] = true
		down := e.down
		e.mu.Unlock()
		if down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// TestTwoProviders: models of both are offered, each is asked with its own key,
// and where one is down the chain continues with the other, as an event.
func TestTwoProviders(t *testing.T) {
	t.Parallel()
	one, two := newEndpoint(t), newEndpoint(t)
	file := writeConfig(t, fmt.Sprintf(`
[model]
fallback = ["two/demo:kimi"]
[retry]
base = "1ms"
cap = "2ms"
[[providers]]
name = "one"
base_url = "%s/v1"
key_env = "KEY_ONE"
[[providers]]
name = "two"
base_url = "%s/v1"
key_env = "KEY_TWO"
[[providers.models]]
name = "demo:kimi"
family = "kimi"
context_window = 4321
`, one.URL, two.URL))
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_MODEL=one/demo", "FUSEBOX_CONFIG="+file, "KEY_ONE=sk-key-one-1", "KEY_TWO=sk-key-two-2")...)
	a := p.admin()
	status, models := a.call(http.MethodGet, "/api/v1/models", "")
	if status != http.StatusOK || !strings.Contains(string(models), `"one/demo"`) || !strings.Contains(string(models), `"contextWindow":4321`) {
		t.Fatalf("models %d %s", status, models)
	}
	_, run := a.ask("What is the weather in Guangzhou?")
	if got := a.rests(run); got["status"] != "finished" {
		t.Fatalf("run is %v", got)
	}
	one.mu.Lock()
	one.down = true
	one.mu.Unlock()
	conversation, run := a.ask("What is the weather in Guangzhou?")
	if got := a.rests(run); got["status"] != "finished" {
		t.Fatalf("run is %v", got)
	}
	falls := ofType(a.events(conversation, 0), "fallback")
	if len(falls) == 0 || falls[0]["reason"] != provider.ModelUnavailable || falls[0]["model"] != "two/demo:kimi" {
		t.Errorf("fallbacks %v", falls)
	}
	if retries := len(ofType(a.events(conversation, 0), "retry")); retries != 4 {
		t.Errorf("%d waits before the breaker opened, want 4", retries)
	}
	day := time.Now().UTC().Format(time.DateOnly)
	if _, rows := a.call(http.MethodGet, "/api/v1/spend?group=model&from="+day+"&to="+day, ""); !strings.Contains(string(rows), `"key":"two/demo:kimi"`) {
		t.Errorf("the bill names %s", rows)
	}
	for e, key := range map[*endpoint]string{one: "Bearer sk-key-one-1", two: "Bearer sk-key-two-2"} {
		e.mu.Lock()
		if len(e.keys) != 1 || !e.keys[key] {
			t.Errorf("an endpoint was sent %v, want %s alone", e.keys, key)
		}
		e.mu.Unlock()
	}
	if strings.Contains(p.log.String(), "sk-key") {
		t.Error("a key is logged")
	}
}
