package looptest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
)

// tasking answers with calls first and a text then; an agent answers with a text at once.
type tasking struct{ calls string }

func (c tasking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	if bytes.Contains(body, []byte("You are the agent ")) || bytes.Contains(body, []byte(`"role":"tool"`)) {
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`+"\n\n")
	} else {
		_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[%s]},"finish_reason":"tool_calls"}]}`+"\n\n", c.calls)
	}
	_, _ = io.WriteString(w, `data: {"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":8,"total_tokens":58}}`+"\n\ndata: [DONE]\n\n")
}

// BenchmarkDelegation is what a message costs whose answer calls a tool once, hands one task
// to an agent, or four at once. Each task has a model call of its own.
func BenchmarkDelegation(b *testing.B) {
	task := func(i int) string {
		return fmt.Sprintf(`{"index":%d,"id":"call_%d","type":"function","function":{"name":"delegate","arguments":"{\"agent\":\"helper\",\"task\":\"Do part %d.\"}"}}`, i, i, i)
	}
	for _, tc := range []struct{ name, calls string }{
		{"a plain call", `{"index":0,"id":"call_0","type":"function","function":{"name":"calculator","arguments":"{\"expression\":\"6*7\"}"}}`},
		{"a task", task(0)},
		{"four tasks", task(0) + "," + task(1) + "," + task(2) + "," + task(3)},
	} {
		b.Run(tc.name, func(b *testing.B) {
			h := newBenchHouse(b, tasking{tc.calls}, filepath.Join(b.TempDir(), "f.db"), 50, nil)
			if err := h.db.CreateUser(b.Context(), agent.User{ID: ana.UserID, Email: ana.Email, Role: ana.Role}, "x"); err != nil {
				b.Fatal(err)
			}
			if _, err := h.db.CreateAgent(b.Context(), rex, agent.Agent{Name: "helper", Purpose: "Helps.", Instructions: "Help."}); err != nil {
				b.Fatal(err)
			}
			before := processorTime()
			for b.Loop() {
				h.tree(b)
			}
			b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N), "cpu-us/message")
		})
	}
}

// tree is a message in a new conversation, and all runs of its tree, until the root has finished.
func (h *benchHouse) tree(b *testing.B) {
	b.Helper()
	c := h.newID()
	if err := h.db.CreateConversation(b.Context(), agent.Conversation{ID: c, OwnerID: ana.UserID, ApprovalMode: agent.ModeDefault}); err != nil {
		b.Fatal(err)
	}
	posted, err := h.messages.Post(b.Context(), ana, service.Post{ConversationID: c, Content: "work"})
	if err != nil {
		b.Fatal(err)
	}
	for {
		run, err := h.db.Claim(b.Context(), "bench", time.Hour)
		if agent.CodeOf(err) == agent.NotFound {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		if err := h.engine.Advance(b.Context(), run); err != nil {
			b.Fatal(err)
		}
	}
	if run, err := h.db.Run(b.Context(), ana, posted.RunID); err != nil || run.Status != agent.StatusFinished || run.Steps != 2 {
		b.Fatalf("the run ended as %+v: %v", run, err)
	}
}
