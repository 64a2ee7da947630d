package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"fusebox/agent/agenttest"
)

// heldParrot is an endpoint whose model says what the person said last, once it may. asked
// are the person's messages of each request, in the order of the requests.
type heldParrot struct {
	mu    sync.Mutex
	asked [][]string
	may   chan struct{}
}

func (s *heldParrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"data":[{"id":"main"}]}`)
		return
	}
	var body struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	var said []string
	for _, m := range body.Messages {
		if text, ok := m.Content.(string); ok && m.Role == "user" {
			said = append(said, text)
		}
	}
	s.mu.Lock()
	s.asked = append(s.asked, said)
	s.mu.Unlock()
	select {
	case <-s.may:
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	answer, _ := json.Marshal("echo: " + said[len(said)-1])
	_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n", answer)
}

// isAsked waits until the model was asked n times, the last time with these messages of a person.
func (s *heldParrot) isAsked(t *testing.T, n int, said ...string) {
	t.Helper()
	agenttest.Eventually(t, fmt.Sprintf("request %d", n), func() bool { return len(s.requests()) >= n })
	if got := s.requests(); len(got) != n || !slices.Equal(got[n-1], said) {
		t.Fatalf("request %d of %d has %q", n, len(got), got[len(got)-1])
	}
}

func (s *heldParrot) requests() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// waiting are the messages that wait in a chat, and whether they are held.
func (a api) waiting(conversation string) (texts []string, held bool) {
	a.t.Helper()
	q := a.must("GET", "/api/v1/conversations/"+conversation+"/queue", "")
	for _, it := range q["items"].([]any) {
		texts = append(texts, it.(map[string]any)["content"].(string))
	}
	return texts, q["held"].(bool)
}

// history is what a chat says, from its first message.
func (a api) history(conversation string) (texts []string) {
	a.t.Helper()
	for _, m := range a.must("GET", "/api/v1/conversations/"+conversation+"/messages", "")["items"].([]any) {
		texts = append(texts, m.(map[string]any)["content"].(string))
	}
	return texts
}

// TestQueueOutlastsKills: what waits in a chat, and what steers a run that has not heard it
// yet, outlast kill -9 in their order. Each message is sent once, a queue that a person held
// by stopping an answer is held afterwards, too, and goes on when it is let go.
func TestQueueOutlastsKills(t *testing.T) {
	t.Parallel()
	model := &heldParrot{may: make(chan struct{})}
	srv := httptest.NewServer(model)
	t.Cleanup(srv.Close)
	data, env := t.TempDir(), []string{"OPENAI_BASE_URL=" + srv.URL + "/v1", "FUSEBOX_MODEL=main", "FUSEBOX_RETRY_BASE=1ms"}
	p := startProgram(t, data, env...)
	a := p.admin()
	killed := func() {
		t.Helper()
		p.kill()
		p = startProgram(t, data, env...)
		a.url = p.url
	}
	conversation, run := a.ask("M1")
	chat := "/api/v1/conversations/" + conversation
	model.isAsked(t, 1, "M1")
	send := func(text string) string {
		t.Helper()
		sent := a.must("POST", chat+"/messages", fmt.Sprintf(`{"content":%q,"queue":true,"clientId":%q}`, text, text))
		id, _ := sent["queuedId"].(string)
		return id
	}
	waits := func(wantHeld bool, want ...string) {
		t.Helper()
		if got, held := a.waiting(conversation); !slices.Equal(got, want) || held != wantHeld {
			t.Fatalf("there wait %q, held %v; want %q, held %v", got, held, want, wantHeld)
		}
	}
	q1, q2, q3 := send("Q1"), send("Q2"), send("Q3")
	a.must("PATCH", chat+"/queue/"+q3, `{"position":0}`)
	a.must("PATCH", chat+"/queue/"+q2, `{"content":"Q2, changed"}`)
	a.must("DELETE", chat+"/queue/"+q1, "")
	a.must("POST", "/api/v1/runs/"+run+"/steer", `{"content":"S1","clientId":"S1"}`)

	killed()
	waits(false, "S1", "Q3", "Q2, changed")
	if again := send("Q3"); again != q3 {
		t.Errorf("sent again after the kill it waits as %q, not %q", again, q3)
	}
	model.isAsked(t, 2, "M1")
	model.may <- struct{}{}
	model.isAsked(t, 3, "M1", "S1")
	killed()
	waits(false, "Q3", "Q2, changed")
	model.isAsked(t, 4, "M1", "S1")
	model.may <- struct{}{}
	model.isAsked(t, 5, "M1", "S1", "Q3")

	working := a.must("GET", chat+"/messages", "")["items"].([]any)
	a.must("POST", "/api/v1/runs/"+working[len(working)-1].(map[string]any)["runId"].(string)+"/abort", "")
	agenttest.Eventually(t, "the queue to be held", func() bool { _, held := a.waiting(conversation); return held })
	killed()
	waits(true, "Q2, changed")
	if len(model.requests()) != 5 {
		t.Fatalf("a queue that is held has sent %q", model.requests()[5])
	}
	a.must("POST", chat+"/queue/resume", "")
	model.isAsked(t, 6, "M1", "S1", "Q3", "Q2, changed")
	model.may <- struct{}{}
	agenttest.Eventually(t, "the last answer", func() bool { h := a.history(conversation); return h[len(h)-1] == "echo: Q2, changed" })
	waits(false)
	if got, want := a.history(conversation), []string{"M1", "echo: M1", "S1", "echo: S1", "Q3", "Q2, changed", "echo: Q2, changed"}; !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return s == "" }), want) {
		t.Errorf("the chat says %q, want %q", got, want)
	}
}
