package looptest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/service"
	"fusebox/store"
	"fusebox/store/storetest"
)

// world is a loop over a real database, with a scripted model and tools that
// count their executions.
type world struct {
	t       *testing.T
	path    string
	clock   *agenttest.Clock
	ids     agent.NewID
	store   *store.Store
	tools   *toolbox
	model   *agenttest.Provider
	runner  *loop.Runner
	service agenttest.Commands
	limits  agent.Limits
	// perUser is how many runs of one person may be at work at the same time, 0 for any.
	perUser int
	// beforeAdvance plays a part of the next run itself.
	beforeAdvance func(runID string)
	// onStart changes the loop of every new process.
	onStart func()
}

var (
	ana = agent.Viewer{UserID: "ana", Email: "ana@example.org", Role: agent.RoleUser}
	rex = agent.Viewer{UserID: "rex", Email: "rex@example.org", Role: agent.RoleReviewer}
)

func newWorld(t *testing.T, turns ...agenttest.Turn) *world {
	t.Helper()
	w := &world{
		t: t, path: storetest.Migrated(t, filepath.Join(t.TempDir(), "f.db")), clock: agenttest.NewClock(), ids: agenttest.IDs(),
		tools: newToolbox(), model: agenttest.Script(turns...),
		limits: agent.Limits{Steps: 50, DurationMS: 600_000, Tokens: 200_000},
	}
	w.start()
	for _, v := range []agent.Viewer{ana, rex} {
		w.must(w.store.CreateUser(t.Context(), agent.User{ID: v.UserID, Email: v.Email, Role: v.Role, CreatedAt: w.clock.Now()}, "x"))
	}
	w.must(w.store.CreateConversation(t.Context(), agent.Conversation{
		ID: "c", OwnerID: ana.UserID, ApprovalMode: agent.ModeDefault, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(),
	}))
	return w
}

// start opens the database and makes a loop on it, as a new process would.
func (w *world) start() {
	w.t.Helper()
	log := slog.New(slog.DiscardHandler)
	var err error
	w.store, err = store.Open(w.t.Context(), store.Options{Path: w.path, Clock: w.clock, NewID: w.ids, Logger: log, RunsPerUser: w.perUser})
	w.must(err)
	s := w.store
	w.t.Cleanup(func() { _ = s.Close() })
	settings := agent.DefaultGuardSettings()
	engine := &loop.Loop{
		Journal: w.store, Provider: w.model, Counter: w.model, Tools: w.tools, Policy: policy.New(),
		Guards: guards.All, Streams: guards.Streams, Judge: guards.ModelJudge{}, Reminder: guards.Reminder, Clock: w.clock, NewID: w.ids, Log: log,
		Settings: loop.Settings{
			Guards: settings, Parallel: 8, MaxOutput: 8192, ApprovalTimeout: 24 * time.Hour,
			Price: func(string) (agent.Price, bool) { return agent.Price{Input: 1_000_000, Output: 2_000_000}, true },
		},
	}
	w.runner = &loop.Runner{Loop: engine, Clock: w.clock, Log: log, Owner: w.ids(), Lease: time.Minute, Parallel: 4}
	w.service = agenttest.NewCommands(w.store, w.runner, w.tools, w.clock, w.ids)
	w.service.Limits, w.service.Guards = w.limits, settings
	w.service.OwnerMayConfirm, w.service.Timeout, w.service.Policy = true, 24*time.Hour, engine.Policy
	engine.Next = w.service.SendNext
	if w.onStart != nil {
		w.onStart()
	}
}

// restart is what a crash and a new process do: nothing was closed in order.
func (w *world) restart() {
	w.t.Helper()
	w.start()
	_, err := w.store.RecoverLeases(w.t.Context())
	w.must(err)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// post sends a message and lets its run go until it waits or ends.
func (w *world) post(text string) *agent.Run {
	w.t.Helper()
	done, err := w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: text})
	w.must(err)
	return w.advance(done.RunID)
}

// advance claims what is ready and returns the run as it stands then.
func (w *world) advance(runID string) *agent.Run {
	w.t.Helper()
	if w.beforeAdvance != nil {
		w.beforeAdvance(runID)
	}
	for {
		run, err := w.store.Claim(w.t.Context(), "test", time.Minute)
		if agent.CodeOf(err) == agent.NotFound {
			break
		}
		w.must(err)
		w.must(w.runner.Loop.Advance(w.t.Context(), run))
	}
	run, err := w.store.Run(w.t.Context(), ana, runID)
	w.must(err)
	return run
}

// claimed is the next run, taken over.
func (w *world) claimed() *agent.Run {
	w.t.Helper()
	run, err := w.store.Claim(w.t.Context(), "test", time.Minute)
	w.must(err)
	return run
}

// approval is the one pending approval.
func (w *world) card() agent.Approval {
	w.t.Helper()
	items, _, err := w.store.Approvals(w.t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	w.must(err)
	if len(items) != 1 {
		w.t.Fatalf("%d cards are pending, want 1", len(items))
	}
	return items[0]
}

func (w *world) decide(v agent.Viewer, id string, d agent.Decision) {
	w.t.Helper()
	_, err := w.service.Decide(w.t.Context(), v, id, d)
	w.must(err)
}

func (w *world) events() []agent.Event {
	w.t.Helper()
	events, err := w.store.Events(w.t.Context(), "c", 0, 5000)
	w.must(err)
	return events
}

// find returns the data of all events of one type.
func find[T agent.EventData](events []agent.Event) []T {
	var out []T
	for _, e := range events {
		if d, ok := e.Data.(T); ok {
			out = append(out, d)
		}
	}
	return out
}

// soundHistory holds the invariants of every stored history: deltas are their
// message, calls have one result each, in order, directly behind.
func (w *world) soundHistory() []agent.Message {
	w.t.Helper()
	messages, err := w.store.Messages(w.t.Context(), ana, "c")
	w.must(err)
	for i, m := range messages {
		for j, c := range m.ToolCalls {
			if k := i + 1 + j; k >= len(messages) || messages[k].ToolCallID != c.ID {
				w.t.Errorf("call %s has no result in its place", c.ID)
			}
		}
	}
	streamed := map[string]string{}
	for _, e := range w.events() {
		switch d := e.Data.(type) {
		case agent.TextDelta:
			streamed[d.ID] += d.Delta
		case agent.MessageReset:
			streamed[d.ID] = ""
		case agent.MessageEvent:
			if text, ok := streamed[d.Message.ID]; ok && text != d.Message.Content {
				w.t.Errorf("streamed %q, final %q", text, d.Message.Content)
			}
		}
	}
	return messages
}

// toolbox is a set of tools whose only effect is to be counted.
type toolbox struct {
	mu    sync.Mutex
	runs  []string        // "name args", in the order of their start
	did   map[string]bool // the idempotency keys of these
	specs []agent.ToolSpec
	// anyText takes arguments that are no JSON.
	anyText bool
	outcome func(name, key string) (agent.ToolResult, bool)
	do      map[string]func(ctx context.Context, in agent.ToolInput) agent.ToolResult
}

func newToolbox() *toolbox {
	b := &toolbox{did: map[string]bool{}, do: map[string]func(context.Context, agent.ToolInput) agent.ToolResult{}}
	for name, effect := range map[string]agent.Effect{"look": agent.EffectRead, "save": agent.EffectWrite, "run_shell": agent.EffectExec, "end": agent.EffectRead} {
		b.specs = append(b.specs, agent.ToolSpec{Name: name, Effect: effect, Idempotent: effect == agent.EffectRead})
	}
	slices.SortFunc(b.specs, func(x, y agent.ToolSpec) int { return strings.Compare(x.Name, y.Name) })
	b.do["end"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		return agent.ToolResult{Content: "ended", Terminate: &agent.Terminate{Success: true, Message: "All done."}}
	}
	return b
}

func (b *toolbox) Specs() []agent.ToolSpec { return b.specs }

func (b *toolbox) Lookup(name string) (agent.ToolSpec, bool) {
	i := slices.IndexFunc(b.specs, func(s agent.ToolSpec) bool { return s.Name == name })
	if i < 0 {
		return agent.ToolSpec{}, false
	}
	return b.specs[i], true
}

func (b *toolbox) Validate(name, args string) (json.RawMessage, error) {
	if _, ok := b.Lookup(name); !ok {
		return nil, agent.Errorf(agent.NotFound, "There is no tool %s.", name)
	}
	var fields map[string]any
	if !b.anyText && json.Unmarshal([]byte(args), &fields) != nil {
		return nil, agent.InvalidField("", "is not a JSON object")
	}
	return json.RawMessage(args), nil
}

func (b *toolbox) Execute(ctx context.Context, name string, in agent.ToolInput) agent.ToolResult {
	b.mu.Lock()
	b.runs = append(b.runs, name+" "+string(in.Args))
	b.did[in.IdempotencyKey] = true
	do := b.do[name]
	b.mu.Unlock()
	if do != nil {
		return do(ctx, in)
	}
	return agent.ToolResult{Content: "result of " + name + " " + string(in.Args)}
}

// Outcome knows what became of a call where the test says so.
func (b *toolbox) Outcome(_ context.Context, name string, in agent.ToolInput) (agent.ToolResult, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.outcome == nil {
		return agent.ToolResult{}, false
	}
	return b.outcome(name, in.IdempotencyKey)
}

func (b *toolbox) Evidence(name string, _ agent.ToolInput) agent.ToolEvidence {
	spec, _ := b.Lookup(name)
	return agent.ToolEvidence{Effect: agent.EffectExec, Command: "…", Fingerprint: spec.Fingerprint}
}

// executed counts the executions of a tool.
func (b *toolbox) executed(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, r := range b.runs {
		if strings.HasPrefix(r, name+" ") {
			n++
		}
	}
	return n
}

// calling makes turns that each call a tool once; with vary the arguments differ.
func calling(n int, tool string, vary bool) []agenttest.Turn {
	var turns []agenttest.Turn
	for i := range n {
		args := `{"x":1}`
		if vary {
			args = fmt.Sprintf(`{"x":%d}`, i)
		}
		turns = append(turns, agenttest.Turn{
			Calls: []agent.CallRequest{agenttest.Call(fmt.Sprint("call", i), tool, args)},
			Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 20}},
		})
	}
	return turns
}
