package looptest

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/service"
	"fusebox/store"
)

// BenchmarkDecision measures how long it takes from a person's approval until the
// tool starts: what is committed, claimed, checked again and committed in between.
func BenchmarkDecision(b *testing.B) {
	started := make(chan time.Time, 1)
	tools := newToolbox()
	tools.specs = append(tools.specs, agent.ToolSpec{Name: "mark", Effect: agent.EffectExec})
	tools.do["mark"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		started <- time.Now()
		return agent.ToolResult{Content: "marked"}
	}
	commands, db := benchCommands(b, tools)
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		card := benchCard(b, commands, db, len(took))
		b.StartTimer()
		decided := time.Now()
		if _, err := commands.Decide(b.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideApprove, ArgsHash: card.ArgsHash}); err != nil {
			b.Fatal(err)
		}
		took = append(took, (<-started).Sub(decided))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// benchCommands are the commands on a real database, with a runner at work.
func benchCommands(b *testing.B, tools *toolbox) (agenttest.Commands, *store.Store) {
	b.Helper()
	log, ids := slog.New(slog.DiscardHandler), agenttest.IDs()
	db, err := store.Open(b.Context(), store.Options{Path: filepath.Join(b.TempDir(), "f.db"), Clock: agent.SystemClock{}, NewID: ids, Logger: log})
	if err != nil {
		b.Fatal(err)
	}
	model := &dictated{Provider: agenttest.Script()}
	engine := &loop.Loop{
		Journal: db, Provider: model, Counter: model, Tools: tools, Policy: policy.New(), Guards: guards.All, Streams: guards.Streams,
		Reminder: guards.Reminder, Clock: agent.SystemClock{}, NewID: ids, Log: log,
		Settings: loop.Settings{
			Guards: agent.DefaultGuardSettings(), Parallel: 1, MaxOutput: 1000, ApprovalTimeout: time.Hour,
			Price: func(string) (agent.Price, bool) { return agent.Price{}, true },
		},
	}
	runner := &loop.Runner{Loop: engine, Clock: agent.SystemClock{}, Log: log, Owner: "bench", Lease: time.Minute, Parallel: 4}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		runner.Run(ctx, time.Second)
	}()
	b.Cleanup(func() {
		cancel()
		<-done
		_ = db.Close()
	})
	for _, v := range []agent.Viewer{ana, rex} {
		if err := db.CreateUser(b.Context(), agent.User{ID: v.UserID, Email: v.Email, Role: v.Role}, "x"); err != nil {
			b.Fatal(err)
		}
	}
	commands := agenttest.NewCommands(db, runner, tools, agent.SystemClock{}, ids)
	commands.Limits, commands.Guards = agent.Limits{Tokens: 100_000}, engine.Settings.Guards
	commands.Timeout, commands.Policy = time.Hour, engine.Policy
	return commands, db
}

// benchCard brings a conversation to where it waits for a person.
func benchCard(b *testing.B, commands agenttest.Commands, db *store.Store, n int) agent.Approval {
	b.Helper()
	c := fmt.Sprint("talk", n)
	if err := db.CreateConversation(b.Context(), agent.Conversation{ID: c, OwnerID: ana.UserID, ApprovalMode: agent.ModeDefault}); err != nil {
		b.Fatal(err)
	}
	content := message([]agent.CallRequest{{ID: "a", Name: "mark", Arguments: fmt.Sprintf(`{"n":%d}`, n)}})
	done, err := commands.Post(b.Context(), ana, service.Post{ConversationID: c, Content: content})
	if err != nil {
		b.Fatal(err)
	}
	var snap *agent.Snapshot
	agenttest.Eventually(b, "a card", func() bool {
		if snap, err = db.Snapshot(b.Context(), done.RunID); err != nil {
			b.Fatal(err)
		}
		return snap.Run.Status == agent.StatusPaused
	})
	return snap.Approvals[0]
}
