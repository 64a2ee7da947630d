package looptest

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/provider"
	"fusebox/agent/sandbox"
	"fusebox/agent/service"
	"fusebox/agent/tools"
	"fusebox/store"
)

// counting answers with one calculation after the other, and with a text after n.
type counting struct{ n int }

func (c counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	done := bytes.Count(body, []byte(`"role":"tool"`))
	w.Header().Set("Content-Type", "text/event-stream")
	if done < c.n {
		_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_%d","type":"function",`+
			`"function":{"name":"calculator","arguments":"{\"expression\":\"%d*%d\"}"}}]}}]}`+"\n\n", done, done+3, done+11)
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\n")
	} else {
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`+"\n\n")
	}
	_, _ = io.WriteString(w, `data: {"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":8,"total_tokens":58}}`+"\n\ndata: [DONE]\n\n")
}

// BenchmarkStep is one step of a run: a model call over a socket, a call of a tool
// that only reads, all guards, budgets and the database. The cost of the endpoint
// is in it.
func BenchmarkStep(b *testing.B) {
	for _, steps := range []int{20, 200, 1000} {
		b.Run(fmt.Sprint("steps=", steps), func(b *testing.B) { benchSteps(b, steps) })
	}
}

func benchSteps(b *testing.B, steps int) {
	h := newBenchHouse(b, counting{steps}, filepath.Join(b.TempDir(), "f.db"), steps+10, nil)
	if err := h.db.CreateUser(b.Context(), agent.User{ID: ana.UserID, Email: ana.Email, Role: ana.Role}, "x"); err != nil {
		b.Fatal(err)
	}
	before, done := processorTime(), 0
	for b.Loop() {
		c := h.newID()
		if err := h.db.CreateConversation(b.Context(), agent.Conversation{ID: c, OwnerID: ana.UserID, ApprovalMode: agent.ModeDefault}); err != nil {
			b.Fatal(err)
		}
		run := h.turn(b, ana, c, "count")
		if run.Steps != steps+1 {
			b.Fatalf("the run ended as %+v", run)
		}
		done += run.Steps
	}
	b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "steps/s")
	b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(done), "cpu-us/step")
}

// benchHouse is all that advances runs, over a model's socket.
type benchHouse struct {
	db       *store.Store
	engine   *loop.Loop
	messages *service.Messages
	newID    agent.NewID
}

func newBenchHouse(b *testing.B, model http.Handler, path string, steps int, onCommit func([]agent.Event)) *benchHouse {
	b.Helper()
	srv := httptest.NewServer(model)
	b.Cleanup(srv.Close)
	log := slog.New(slog.DiscardHandler)
	ids := func() string { return fmt.Sprint(time.Now().UnixNano(), rand.Text()) } // a database may have runs already
	db, err := store.Open(b.Context(), store.Options{Path: path, Clock: agent.SystemClock{}, NewID: ids, Logger: log, OnCommit: onCommit})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	p, err := provider.New(provider.Config{BaseURL: srv.URL + "/v1", HTTPClient: srv.Client()})
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	walls, err := sandbox.New(sandbox.Options{Mode: sandbox.Auto, Data: dir, Logger: log})
	if err != nil {
		b.Fatal(err)
	}
	box, err := tools.New(tools.Config{
		DataDir: dir, Sandbox: walls, HTTPClient: srv.Client(), Timeout: time.Minute, OutputLimit: 10_000, Clock: agent.SystemClock{}, Logger: log,
	})
	if err != nil {
		b.Fatal(err)
	}
	settings := agent.DefaultGuardSettings()
	settings.MaxSteps, settings.MaxDuration = steps, time.Hour
	engine := &loop.Loop{
		Journal: db, Provider: p, Counter: p, Tools: box, Policy: policy.New(), Guards: guards.All, Streams: guards.Streams,
		Reminder: guards.Reminder, Clock: agent.SystemClock{}, NewID: ids, Log: log,
		Settings: loop.Settings{
			Guards: settings, Parallel: 8, MaxOutput: 1000, ApprovalTimeout: time.Hour,
			Price: func(string) (agent.Price, bool) { return agent.Price{Input: 1_000_000, Output: 2_000_000}, true },
		},
	}
	messages := agenttest.NewCommands(db, &loop.Runner{Loop: engine, Clock: agent.SystemClock{}, Log: log}, box, agent.SystemClock{}, ids).Messages
	messages.Guards, messages.Limits = settings, agent.Limits{Tokens: 1 << 40}
	return &benchHouse{db: db, engine: engine, newID: ids, messages: messages}
}

// turn is a message and its run, until it has finished.
func (h *benchHouse) turn(b *testing.B, v agent.Viewer, conversation, text string) *agent.Run {
	b.Helper()
	posted, err := h.messages.Post(b.Context(), v, service.Post{ConversationID: conversation, Content: text})
	if err != nil {
		b.Fatal(err)
	}
	claimed, err := h.db.Claim(b.Context(), "bench", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	if err := h.engine.Advance(b.Context(), claimed); err != nil {
		b.Fatal(err)
	}
	run, err := h.db.Run(b.Context(), v, posted.RunID)
	if err != nil || run.Status != agent.StatusFinished {
		b.Fatalf("the run ended as %+v: %v", run, err)
	}
	return run
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
