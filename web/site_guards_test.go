package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
)

// backtest replays the site's runs, as the program's own does.
func (s *site) backtest(ctx context.Context, q agent.BacktestQuery) (agent.BacktestResult, error) {
	config, err := s.db.GuardConfig(ctx)
	if err != nil {
		return agent.BacktestResult{}, err
	}
	now := guards.Setup{Settings: config.Effective(agent.DefaultGuardSettings(), nil), Config: config}
	then, err := now.Changed(q.Numbers, q.Rule)
	if err != nil {
		return agent.BacktestResult{}, err
	}
	b := guards.Backtest{Now: now, Then: then, Tools: everyTool}
	b.Result.More, err = s.db.PastRuns(ctx, q.From, q.To, 1000, b.Add)
	return b.Result, err
}

// learn searches the site's runs for suggestions, as the program's own does.
func (s *site) learn(ctx context.Context, q agent.LearningQuery) (agent.LearningSearch, error) {
	config, err := s.db.GuardConfig(ctx)
	if err != nil {
		return agent.LearningSearch{}, err
	}
	now := guards.Setup{Settings: config.Effective(agent.DefaultGuardSettings(), nil), Config: config}
	l := guards.NewLearning(now, everyTool, q.Decisions)
	l.Result.More, err = s.db.PastRuns(ctx, q.From, q.To, 1000, l.Add)
	l.Finish()
	return l.Result, err
}

func everyTool(name string) (agent.ToolSpec, bool) {
	return agent.ToolSpec{Name: name, Effect: agent.EffectRead}, true
}

// lookTool is all tools whose names begin with look; they always answer the same.
type lookTool struct{ oneTool }

func (lookTool) Outcome(context.Context, string, agent.ToolInput) (agent.ToolResult, bool) {
	return agent.ToolResult{}, false
}

func (lookTool) Lookup(name string) (agent.ToolSpec, bool) {
	return agent.ToolSpec{Name: name, Effect: agent.EffectRead, Idempotent: true}, strings.HasPrefix(name, "look")
}

func (lookTool) Validate(_, args string) (json.RawMessage, error) { return json.RawMessage(args), nil }

func (lookTool) Execute(context.Context, string, agent.ToolInput) agent.ToolResult {
	return agent.ToolResult{Content: "nothing new"}
}

// run says something in a new conversation of c, and lets a model that makes
// the same call again and again answer until the run waits or ends.
func (c client) run(calls int) *agent.Run {
	c.s.t.Helper()
	return c.runTool("look", calls)
}

func (c client) runTool(tool string, calls int) *agent.Run {
	c.s.t.Helper()
	got := c.call(http.MethodPost, "/api/v1/conversations/"+c.conversation()+"/messages", `{"content":"look until it is there"}`)
	var posted agent.Enqueued
	c.s.ok(json.Unmarshal([]byte(got.body), &posted))
	return c.s.advance(posted.RunID, calling(tool, "call", calls))
}

// calling is a model that makes the same call so many times.
func calling(tool, id string, calls int) *agenttest.Provider {
	var turns []agenttest.Turn
	for i := range calls {
		turns = append(turns, agenttest.Turn{
			Calls: []agent.CallRequest{agenttest.Call(fmt.Sprint(id, i), tool, `{"x":1}`)},
			Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 20}},
		})
	}
	return agenttest.Script(turns...)
}

// engine is a loop over the site's database, with a scripted model.
func (s *site) engine(model *agenttest.Provider, tools agent.Toolbox) *loop.Loop {
	return &loop.Loop{
		Journal: s.db, Provider: model, Counter: model, Tools: tools, Policy: policy.New(), Guards: guards.All,
		Streams: guards.Streams, Judge: guards.ModelJudge{}, Reminder: guards.Reminder, Clock: s.clock, NewID: s.newID, Log: slog.New(slog.DiscardHandler),
		Settings: loop.Settings{
			Guards: agent.DefaultGuardSettings(), Parallel: 1, MaxOutput: 8192, ApprovalTimeout: time.Hour,
			Price: func(string) (agent.Price, bool) { return agent.Price{Input: 1_000_000, Output: 2_000_000}, true },
		},
	}
}

// advance plays a run with a scripted model until nothing is left to do.
func (s *site) advance(runID string, model *agenttest.Provider, with ...func(*loop.Settings)) *agent.Run {
	s.t.Helper()
	loop := s.engine(model, lookTool{})
	for _, change := range with {
		change(&loop.Settings)
	}
	for {
		run, err := s.db.Claim(s.t.Context(), "test", time.Minute)
		if agent.CodeOf(err) == agent.NotFound {
			break
		}
		s.ok(err)
		s.ok(loop.Advance(s.t.Context(), run))
	}
	admin := agent.Viewer{UserID: "x", Role: agent.RoleAdmin}
	run, err := s.db.Run(s.t.Context(), admin, runID)
	s.ok(err)
	return run
}

// pending is the one card of a run that waits.
func (s *site) pending(run *agent.Run) agent.Approval {
	s.t.Helper()
	ids, err := s.db.PendingApprovalIDs(s.t.Context(), run.ID)
	s.ok(err)
	if len(ids) != 1 {
		s.t.Fatalf("run %s (%s) waits for %d cards", run.Status, run.StopReason, len(ids))
	}
	a, err := s.db.Approval(s.t.Context(), agent.Viewer{UserID: "x", Role: agent.RoleAdmin}, ids[0])
	s.ok(err)
	return *a
}
