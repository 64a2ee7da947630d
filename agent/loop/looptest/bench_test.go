package looptest

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/provider"
	"fusebox/agent/service"
	"fusebox/store"
)

// firstDelta measures how long a piece of text takes from the model's socket to
// the readers of the log.
type firstDelta struct {
	mu      sync.Mutex
	written time.Time
	took    []time.Duration
}

func (f *firstDelta) answer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	f.mu.Lock()
	f.written = time.Now()
	f.mu.Unlock()
	_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}`+"\n\n")
	_ = http.NewResponseController(w).Flush()
	_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// committed is called with what readers get to see.
func (f *firstDelta) committed(events []agent.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range events {
		if _, ok := e.Data.(agent.TextDelta); ok && !f.written.IsZero() {
			f.took = append(f.took, time.Since(f.written))
			f.written = time.Time{}
		}
	}
}

// BenchmarkFirstDelta is what the whole of Fusebox adds to the first piece of
// an answer: provider, loop, database, and the hand-over to the readers.
func BenchmarkFirstDelta(b *testing.B) {
	f := &firstDelta{}
	srv := httptest.NewServer(http.HandlerFunc(f.answer))
	defer srv.Close()
	log, ids := slog.New(slog.DiscardHandler), agenttest.IDs()
	db, err := store.Open(b.Context(), store.Options{
		Path: filepath.Join(b.TempDir(), "f.db"), Clock: agent.SystemClock{}, NewID: ids, Logger: log, OnCommit: f.committed,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	p, err := provider.New(provider.Config{BaseURL: srv.URL + "/v1", HTTPClient: srv.Client()})
	if err != nil {
		b.Fatal(err)
	}
	settings := agent.DefaultGuardSettings()
	engine := &loop.Loop{
		Journal: db, Provider: p, Counter: p, Tools: newToolbox(), Policy: policy.New(), Guards: guards.All, Streams: guards.Streams,
		Reminder: guards.Reminder, Clock: agent.SystemClock{}, NewID: ids, Log: log,
		Settings: loop.Settings{Guards: settings, Parallel: 1, MaxOutput: 1000, Price: func(string) (agent.Price, bool) { return agent.Price{}, true }},
	}
	messages := agenttest.NewCommands(db, &loop.Runner{Loop: engine, Clock: agent.SystemClock{}, Log: log}, engine.Tools, agent.SystemClock{}, ids).Messages
	messages.Guards = settings
	if err := db.CreateUser(b.Context(), agent.User{ID: ana.UserID, Email: ana.Email, Role: ana.Role}, "x"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c := ids()
		if err := db.CreateConversation(b.Context(), agent.Conversation{ID: c, OwnerID: ana.UserID}); err != nil {
			b.Fatal(err)
		}
		_, err := messages.Post(b.Context(), ana, service.Post{ConversationID: c, Content: "hi"})
		if err != nil {
			b.Fatal(err)
		}
		run, err := db.Claim(b.Context(), "bench", time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		if err := engine.Advance(b.Context(), run); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(f.took)
	b.ReportMetric(float64(f.took[len(f.took)/2].Microseconds()), "median-us")
}
