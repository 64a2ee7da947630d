package e2e

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// scriptedModel is a model server that plays a script over the real protocol.
// The person's message names the script; how many answers follow it says which
// turn is next, so that a request that is made again gets the same answer.
type scriptedModel struct {
	mu      sync.Mutex
	scripts map[string][][]asked
	seen    map[string]int    // requests by the person's message
	faults  map[string]int    // answers with status 503 that are left, by message
	bodies  map[string]string // the newest request by message
}

// asked is one call that the model asks for.
type asked struct{ tool, args string }

func sh(command string) asked {
	raw, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return asked{"run_shell", string(raw)}
}

func newScriptedModel() *scriptedModel {
	return &scriptedModel{scripts: map[string][][]asked{}, seen: map[string]int{}, faults: map[string]int{}, bodies: map[string]string{}}
}

func startModel(t testing.TB) (*scriptedModel, string) {
	t.Helper()
	m := newScriptedModel()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return m, server.URL + "/v1"
}

// plays sets what the model does for a message: the calls of each turn; behind
// the last it says "done".
func (m *scriptedModel) plays(message string, turns ...[]asked) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[message] = turns
}

// stumbles lets the next requests for a message fail.
func (m *scriptedModel) stumbles(message string, times int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults[message] = times
}

// last is the newest request for a message.
func (m *scriptedModel) last(message string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bodies[message]
}

// requests counts the model calls for a message.
func (m *scriptedModel) requests(message string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[message]
}

func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	var body bytes.Buffer
	r.Body = io.NopCloser(io.TeeReader(r.Body, &body))
	message, answers, err := turnOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.bodies[message] = body.String()
	m.seen[message]++
	turns := m.scripts[message]
	m.faults[message]--
	stumbles := m.faults[message] >= 0
	m.mu.Unlock()
	if stumbles {
		http.Error(w, `{"error":{"message":"overloaded"}}`, http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if answers >= len(turns) {
		chunk(w, map[string]any{"content": "done"}, "stop")
		return
	}
	if first := turns[answers][0]; first.tool == "" { // it speaks
		chunk(w, map[string]any{"content": first.args}, "stop")
		return
	}
	chunk(w, map[string]any{"tool_calls": callsOf(answers, turns[answers])}, "tool_calls")
}

// turnOf reads the person's newest message from a request, and how many answers follow it.
func turnOf(r *http.Request) (message string, answers int, err error) {
	var req struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		return "", 0, fmt.Errorf("read the request: %w", err)
	}
	for _, x := range req.Messages {
		var text string
		if json.Unmarshal(x.Content, &text) == nil && x.Role == "user" && !strings.HasPrefix(text, "[System reminder]") {
			message, answers = text, 0
		}
		if x.Role == "assistant" {
			answers++
		}
	}
	return message, answers, nil
}

// callsOf are the calls of a turn as the protocol writes them.
func callsOf(turn int, asked []asked) []map[string]any {
	var calls []map[string]any
	for i, c := range asked {
		calls = append(calls, map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d_%d", turn, i), "type": "function",
			"function": map[string]string{"name": c.tool, "arguments": c.args},
		})
	}
	return calls
}

// chunk writes a whole answer as a stream of two events.
func chunk(w http.ResponseWriter, delta map[string]any, finish string) {
	write := func(v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	delta["role"] = "assistant"
	write(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "scripted", "choices": []any{map[string]any{"index": 0, "delta": delta}}})
	write(map[string]any{
		"id": "x", "object": "chat.completion.chunk", "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}},
		"usage":   map[string]int{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
	})
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// instance is the real program with a scripted model, an owner of conversations
// and two reviewers.
type instance struct {
	*program
	model          *scriptedModel
	env            []string
	ana, rex, ria  api
	conversationOf map[string]string // by run
}

func startInstance(t testing.TB, env ...string) *instance {
	t.Helper()
	model, url := startModel(t)
	env = append(env, "OPENAI_BASE_URL="+url, "FUSEBOX_MODEL=scripted", "FUSEBOX_TELEMETRY_METRICS_TOKEN="+metricsToken)
	data := t.TempDir()
	fullInstance.put(t, data)
	h := &instance{program: startProgram(t, data, env...), model: model, env: env}
	h.conversationOf = map[string]string{}
	h.as(t)
	return h
}

// as makes the people again, for a subtest or a new process.
func (h *instance) as(t testing.TB) *instance {
	t.Helper()
	next := *h
	for name, who := range map[string]*api{"ana": &next.ana, "rex": &next.rex, "ria": &next.ria} {
		if who.token == "" {
			who.token = h.token(name + "@example.org")
		}
		who.t, who.url = t, h.url
	}
	*h = next
	return &next
}

// restart is kill -9 and a new process on the same data.
func (h *instance) restart(t testing.TB) {
	t.Helper()
	h.kill()
	h.program = startProgram(t, h.data, h.env...)
	h.as(t)
}

// asks lets ana send a message that the model answers with these turns, and
// waits until her run rests.
func (h *instance) asks(t testing.TB, turns ...[]asked) (run string) {
	t.Helper()
	h.model.plays(t.Name(), turns...)
	conversation, run := h.ana.ask(t.Name())
	h.conversationOf[run] = conversation
	h.ana.rests(run)
	return run
}

// left is what a run's commands have written to a file of its workspace.
func (h *instance) left(t testing.TB, run, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.data, "workspaces", h.conversationOf[run], name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// cards are a run's approvals that wait.
func (h *instance) cards(run string) []map[string]any {
	var found []map[string]any
	for _, item := range h.rex.must("GET", "/api/v1/approvals?status=pending&limit=200", "")["items"].([]any) {
		if a := item.(map[string]any); a["runId"] == run {
			found = append(found, a)
		}
	}
	return found
}

// card is the one approval that waits.
func (h *instance) card(t testing.TB, run string) map[string]any {
	t.Helper()
	cards := h.cards(run)
	if len(cards) != 1 {
		t.Fatalf("%d cards wait, want 1: %v", len(cards), cards)
	}
	return cards[0]
}

// comesDue brings the times of all cards forward, instead of waiting for them: that of
// the reminder, or with expires that of their end.
func (p *program) comesDue(expires bool) {
	p.t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(p.data, "fusebox.db")+"?_busy_timeout=60000")
	must(p.t, err)
	defer func() { must(p.t, db.Close()) }()
	_, err = db.ExecContext(p.t.Context(), `UPDATE approvals SET due_at = requested_at, expires_at = CASE WHEN $1 THEN requested_at ELSE expires_at END`, expires)
	must(p.t, err)
}

// naming adds to a decision what it is about, as programs have to.
func naming(card map[string]any, body string) string {
	hash, _ := card["argsHash"].(string) // there is none without a call
	return strings.TrimSuffix(body, "}") + fmt.Sprintf(`,"generation":%v,"argsHash":"%s"}`, card["generation"], hash)
}

// decides posts a decision about a card as it is, and returns its status and the answer.
func decides(who api, card map[string]any, body string) (int, map[string]any) {
	who.t.Helper()
	status, raw := who.call("POST", "/api/v1/approvals/"+card["id"].(string)+"/decision", naming(card, body))
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		who.t.Fatalf("%d %s", status, raw)
	}
	return status, v
}

// results are what the model reads of a run's calls, in order.
func (h *instance) results(run string) []string {
	var texts []string
	list := h.ana.must("GET", "/api/v1/conversations/"+h.conversationOf[run]+"/messages", "")
	for _, m := range list["items"].([]any) {
		if m := m.(map[string]any); m["role"] == "tool" {
			texts = append(texts, m["content"].(string))
		}
	}
	return texts
}
