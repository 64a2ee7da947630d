package looptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
	"fusebox/agent/service"
)

// answerTools are what the calls of an answer may do; those before "look" only compute.
var answerTools = []string{"add", "emit", "find", "boom", "look", "held", "save", "broken", "nowhere"}

// answerLife is one life of a run whose first answer has many calls.
type answerLife struct {
	*world
	calls []agent.CallRequest
	run   string
	// left is how many changes are committed before the process is killed.
	left    atomic.Int64
	commits atomic.Int64
	loud    errorLog
	plan    answerPlan
	begun   atomic.Int64 // executions of tools
	cancel  context.CancelCauseFunc
}

// answerPlan is what happens in a life: an answer of so many calls of these tools, a kill
// after some commits, and a person who aborts the run at one of the executions, from 1; 0
// never.
type answerPlan struct {
	calls   int
	kinds   []string
	seed    uint64
	killed  int64
	aborted int64
}

// answerJournal is that of a process which is killed at a chosen commit: from then on it
// commits nothing.
type answerJournal struct {
	agent.Journal
	life *answerLife
	dead atomic.Bool
}

func (j *answerJournal) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	if j.dead.Load() || j.life.left.Add(-1) < 0 {
		j.dead.Store(true)
		return agent.Committed{}, errPulled
	}
	j.life.commits.Add(1)
	return j.Journal.Append(ctx, e)
}

// errorLog keeps what is logged as an error.
type errorLog struct{ said atomic.Pointer[string] }

func (l *errorLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }
func (l *errorLog) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l *errorLog) WithGroup(string) slog.Handler                    { return l }
func (l *errorLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "a tool call panicked" {
		l.said.Store(&r.Message)
	}
	return nil
}

// TestAnswersOfManyCalls: whatever calls an answer of up to twelve holds, they are executed
// side by side, each has its one result in its place, what has effects happens once, and
// every delivered value is in the run as soon as its result is: also where a person cancels
// a call, a tool panics, or the process is killed at any of the commits.
func TestAnswersOfManyCalls(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 12; n++ {
		t.Run(fmt.Sprint(n, " calls"), func(t *testing.T) {
			t.Parallel()
			for round := range agenttest.Rounds(t, "FUSEBOX_ANSWER_ROUNDS", 10) {
				plan := answerPlan{calls: n, seed: uint64(100*n + round), killed: 1000}
				if plan.kinds = answerTools; rand.New(rand.NewPCG(plan.seed, 3)).IntN(3) == 0 {
					plan.kinds = answerTools[:3] // an answer that only computes
				}
				whole := plan.live(t)
				every := int64(2) // of an answer with one call more, the other half
				if agenttest.Full() {
					every = 1
				}
				for plan.killed = int64(n) % every; plan.killed < whole; plan.killed += every {
					plan.live(t)
				}
			}
		})
	}
}

// TestFiveCallsOfAnAnswer is the same for answers of five calls that compute, that have
// effects, and of both, with kills and aborts at random moments.
func TestFiveCallsOfAnAnswer(t *testing.T) {
	t.Parallel()
	for name, kinds := range map[string][]string{"pure": answerTools[:3], "effects": {"save"}, "mixed": answerTools} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for round := range agenttest.Rounds(t, "FUSEBOX_FIVE_CALLS_ROUNDS", 200) {
				rng := rand.New(rand.NewPCG(uint64(round), 5))
				plan := answerPlan{calls: 5, kinds: kinds, seed: uint64(round), killed: rng.Int64N(20)}
				if rng.IntN(2) == 0 {
					plan.aborted = 1 + rng.Int64N(5)
				}
				plan.live(t)
			}
		})
	}
}

// live is one life. It returns how many commits were made.
func (p answerPlan) live(t *testing.T) int64 {
	t.Helper()
	l := &answerLife{plan: p}
	l.left.Store(p.killed)
	rng := rand.New(rand.NewPCG(p.seed, 11))
	outputs := map[string]string{}
	for i := range p.calls {
		id, name := fmt.Sprint("c", i), p.kinds[rng.IntN(len(p.kinds))]
		args := fmt.Sprintf(`{"id":%q}`, id)
		if name == "broken" {
			args = "id=" + id
		}
		if name == "emit" {
			outputs[id] = "string"
		}
		l.calls = append(l.calls, agent.CallRequest{ID: id, Name: name, Arguments: args})
	}
	model := &dictated{Provider: agenttest.Script()}
	l.world = newWorld(t)
	for _, name := range answerTools[:len(answerTools)-1] {
		l.tools.specs = slices.DeleteFunc(l.tools.specs, func(s agent.ToolSpec) bool { return s.Name == name })
		effect := agent.EffectRead
		if name == "save" || name == "broken" {
			effect = agent.EffectWrite
		}
		l.tools.specs = append(l.tools.specs, agent.ToolSpec{
			Name: name, Effect: effect, Idempotent: effect == agent.EffectRead, Pure: slices.Index(answerTools, name) < 4,
		})
		l.tools.do[name] = func(ctx context.Context, in agent.ToolInput) agent.ToolResult { return l.execute(ctx, name, in) }
	}
	l.onStart = func() {
		l.runner.Loop.Provider, l.runner.Loop.Counter, l.runner.Loop.Log = model, model, slog.New(&l.loud)
		l.runner.Loop.Journal = &answerJournal{Journal: l.store, life: l}
	}
	l.onStart()
	l.must(l.store.CreateConversation(t.Context(), agent.Conversation{
		ID: "many", OwnerID: ana.UserID, ApprovalMode: agent.ModeYolo, CreatedAt: l.clock.Now(), UpdatedAt: l.clock.Now(),
	}))
	done, err := l.service.Post(t.Context(), ana, service.Post{
		ConversationID: "many", Outputs: outputs, Content: message(l.calls, []agent.CallRequest{{ID: "last", Name: "add", Arguments: `{"id":"last"}`}}),
	})
	l.must(err)
	l.run = done.RunID
	l.lives()
	if l.check(); t.Failed() {
		t.Fatalf("%+v: %v", p, l.calls)
	}
	return l.commits.Load()
}

// execute is a tool at work.
func (l *answerLife) execute(ctx context.Context, name string, in agent.ToolInput) agent.ToolResult {
	var args struct{ ID string }
	_ = json.Unmarshal(in.Args, &args)
	if l.begun.Add(1) == l.plan.aborted {
		l.cancel(&loop.AbortCause{By: ana.Email})
	}
	res := agent.ToolResult{Content: name + " " + args.ID}
	switch name {
	case "emit":
		res.Emit = &agent.Emission{Name: args.ID, Value: json.RawMessage(`"value of ` + args.ID + `"`)}
	case "find":
		res.Found = []string{"look"}
	case "boom":
		panic("a fault of the tool")
	case "look":
		in.Progress("half of ")
		in.Progress(args.ID)
	case "held":
		l.runner.CancelCall(in.RunID, in.CallID, ana.Email)
		<-ctx.Done()
		return agent.ToolResult{ErrorType: agent.ErrCancelled, Content: "half done"}
	}
	return res
}

// lives advances the run, in a new process where one was killed, until it has ended.
func (l *answerLife) lives() {
	for range 50 {
		ctx, cancel := context.WithCancelCause(agenttest.Context(l.t))
		l.cancel = cancel
		run, err := l.store.Claim(ctx, "test", time.Minute)
		switch {
		case agent.CodeOf(err) == agent.NotFound:
			if !l.decides() {
				return
			}
			continue
		case err != nil:
			l.t.Fatal(err)
		}
		err = l.runner.Loop.Advance(ctx, run)
		cancel(nil)
		l.keepsValues()
		if errors.Is(err, errPulled) {
			l.left.Store(1000)
			l.restart()
		} else if err != nil {
			l.t.Fatal(err)
		}
	}
	l.t.Error("the run does not end")
}

// decides lets a person answer what the run waits for; false where it does not wait.
func (l *answerLife) decides() bool {
	open := slices.DeleteFunc(l.cardsOf(l.run), func(a agent.Approval) bool { return !a.Status.Open() })
	for _, a := range open {
		dec := agent.Decision{Verb: agent.DecideResume, Generation: a.Generation, ArgsHash: a.ArgsHash}
		if a.Kind == agent.KindOutcome { // nothing happened that a person does not know of
			dec.Verb, dec.Answer = agent.DecideAnswer, "looked it up"
		}
		l.decide(rex, a.ID, dec)
	}
	return len(open) > 0
}

// keepsValues holds that a value which a result tells of is the run's.
func (l *answerLife) keepsValues() {
	l.t.Helper()
	snap, err := l.store.Snapshot(l.t.Context(), l.run)
	l.must(err)
	for _, c := range snap.Calls {
		_, has := snap.Run.State.Values[c.ID]
		if c.Name == "emit" && has != (c.State == agent.CallSuccess) {
			l.t.Errorf("%s is %s, and the run has its value: %v", c.ID, c.State, has)
		}
		if c.Name == "find" && c.State == agent.CallSuccess && !slices.Contains(snap.Run.State.Loaded, "look") {
			l.t.Errorf("%s has ended, and what it found is not in view", c.ID)
		}
	}
}

// check looks at a run that is over.
func (l *answerLife) check() {
	l.t.Helper()
	if said := l.loud.said.Load(); said != nil {
		l.t.Errorf("logged as an error: %s", *said)
	}
	snap, err := l.store.Snapshot(l.t.Context(), l.run)
	l.must(err)
	aborted := snap.Run.Status == agent.StatusAborted && l.begun.Load() >= l.plan.aborted && l.plan.aborted > 0
	if snap.Run.Status != agent.StatusFinished && !aborted {
		l.t.Errorf("the run is %s (%s)", snap.Run.Status, snap.Run.StopReason)
	}
	var results []string
	for _, m := range snap.Branch {
		if m.Role == agent.FromTool && m.ToolCallID != "last" {
			results = append(results, m.ToolCallID)
		}
	}
	events, err := l.store.Events(l.t.Context(), "many", 0, 5000)
	l.must(err)
	told := find[agent.ToolCallResult](events)
	for i, c := range l.calls {
		if !aborted && (i >= len(results) || results[i] != c.ID) {
			l.t.Fatalf("results of %v", results)
		}
		if n := len(slices.DeleteFunc(slices.Clone(told), func(r agent.ToolCallResult) bool { return r.ToolCallID != c.ID })); n != 1 {
			l.t.Errorf("%s has %d results", c.ID, n)
		}
		ran := len(slices.DeleteFunc(slices.Clone(l.tools.runs), func(r string) bool { return !strings.HasSuffix(r, c.Arguments) }))
		if c.Name == "save" && (ran > 1 || ran == 0 && !aborted) || (c.Name == "broken" || c.Name == "nowhere") && ran != 0 {
			l.t.Errorf("%s, which is %s, ran %d times", c.ID, c.Name, ran)
		}
	}
}
