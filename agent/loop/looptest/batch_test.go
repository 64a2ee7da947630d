package looptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
)

// batchTools are the kinds of calls that an answer may hold, by the tool's name.
var batchTools = []agent.ToolSpec{
	{Name: "look", Effect: agent.EffectRead, Idempotent: true},
	{Name: "save", Effect: agent.EffectWrite},
	{Name: "mark", Effect: agent.EffectExec},
	{Name: "send", Effect: agent.EffectNetwork},
	{Name: "pull", Effect: agent.EffectNetwork, Idempotent: true},
	{Name: "ping", Effect: agent.EffectNetwork, FixedHost: true},
	{Name: "guess", Effect: "dreams"}, // an effect that nobody knows
	{Name: "ask", Effect: agent.EffectRead, AsksPerson: true},
	{Name: "broken", Effect: agent.EffectWrite}, // is called with arguments that are none
	{Name: "nowhere"}, // is not registered
}

// inOrder are the tools whose calls run one after the other, once all is decided.
var inOrder = []string{"save", "mark", "send", "ping", "guess"}

// batchRun is one random life of an answer with several calls.
type batchRun struct {
	*world
	rng   *rand.Rand
	model *dictated
	run   string
	batch []agent.CallRequest
	// left is after how many entries the process is killed, below 0 never.
	left int
	// kills is how often it was, aborted that a person gave up.
	kills   int
	aborted bool
	cancel  context.CancelCauseFunc // of the process that works on the run
	last    int                     // the last call with an effect that ran
	story   []string
}

// TestBatches: whatever calls an answer holds, in whatever order they are decided,
// undone, expire and are asked again, with processes that are killed in between:
// each decision meets its own call, and each call has its one result.
func TestBatches(t *testing.T) {
	t.Parallel()
	const perWorld = 10
	n := agenttest.Rounds(t, "FUSEBOX_BATCH_ROUNDS", 60)
	for from := 0; from < n; from += perWorld {
		t.Run(fmt.Sprint("from ", from), func(t *testing.T) {
			t.Parallel()
			b := &batchRun{}
			b.world, b.model = dictatedWorld(t, func(w *world) {
				w.runner.Loop.Journal = batchJournal{w.store, b}
				w.runner.Loop.Settings.Parallel = 1 // the same seed is the same story
				w.service.UndoWindow = b.window()
			})
			b.tools.specs = batchTools[:len(batchTools)-1]
			for _, spec := range b.tools.specs {
				b.tools.do[spec.Name] = func(_ context.Context, in agent.ToolInput) agent.ToolResult { return b.executes(spec.Name, in) }
			}
			b.model.onRequest = b.modelIsAsked
			b.staff(rey)
			for seed := from; seed < min(from+perWorld, n); seed++ {
				if b.live(seed); t.Failed() {
					t.Fatalf("seed %d, calls %v:\n  %s", seed, b.batch, strings.Join(b.story, "\n  "))
				}
			}
		})
	}
}

// window is the undo window: half of the lives have one.
func (b *batchRun) window() time.Duration {
	if b.rng == nil || b.rng.IntN(2) == 0 {
		return 0
	}
	return 10 * time.Second
}

func (b *batchRun) tell(format string, args ...any) {
	b.story = append(b.story, fmt.Sprintf(format, args...))
}

// live is one life, from the message to the end of its run.
func (b *batchRun) live(seed int) {
	model, w := b.model, b.world
	*b = batchRun{world: w, model: model, rng: rand.New(rand.NewPCG(uint64(seed), 7)), left: -1, last: -1}
	b.service.UndoWindow = b.window()
	b.tools.runs = nil
	for i := range 1 + b.rng.IntN(6) {
		id := string(rune('a' + i))
		spec := batchTools[b.rng.IntN(len(batchTools))]
		args := fmt.Sprintf(`{"id":"%s","question":"What of %s?"}`, id, id)
		if spec.Name == "broken" {
			args = "id=" + id
		}
		b.batch = append(b.batch, agent.CallRequest{ID: id, Name: spec.Name, Arguments: args})
	}
	b.plan()
	b.run = b.talk(fmt.Sprint("seed", seed), message(b.batch, []agent.CallRequest{{ID: "z", Name: "look", Arguments: `{"id":"z"}`}}))
	for range 300 {
		if b.goOn(); b.t.Failed() {
			return
		}
		if b.snapshot().Run.Status.Ended() {
			b.check()
			return
		}
	}
	b.t.Error("the run does not end")
}

// plan chooses whether this process is killed, and when.
func (b *batchRun) plan() {
	b.left = -1
	if b.kills < 2 && b.rng.IntN(3) == 0 {
		b.left = b.rng.IntN(12)
	}
}

func (b *batchRun) snapshot() *agent.Snapshot {
	b.t.Helper()
	snap, err := b.store.Snapshot(b.t.Context(), b.run)
	b.must(err)
	return snap
}

// goOn lets the run advance, or something happen while it rests.
func (b *batchRun) goOn() {
	run, err := b.store.Claim(b.t.Context(), "test", time.Minute)
	if agent.CodeOf(err) == agent.NotFound {
		b.rests()
		return
	}
	b.must(err)
	ctx, cancel := context.WithCancelCause(b.t.Context())
	defer cancel(nil)
	b.cancel = cancel
	err = b.runner.Loop.Advance(ctx, run)
	if errors.Is(err, errPulled) {
		b.kills++
		b.tell("killed")
		b.plan()
		b.restart()
		return
	}
	b.must(err)
}

// rests is what may happen while no process works on the run.
func (b *batchRun) rests() {
	snap := b.snapshot()
	for _, c := range snap.Calls {
		behind := slices.ContainsFunc(snap.Calls, func(d agent.ToolCall) bool {
			return d.Step == c.Step && d.Index < c.Index && !d.State.Ended() && d.Name != "look" && d.Name != "pull" && d.Name != "ask"
		})
		if c.Name == "look" && !c.State.Ended() && !behind {
			b.t.Errorf("the run rests, and %s, which only reads, is %s", c.ID, c.State)
		}
	}
	waits := slices.ContainsFunc(snap.Approvals, func(a agent.Approval) bool { return a.Status.Open() })
	if snap.Run.Status == agent.StatusPaused && !waits {
		b.t.Error("the run is paused, and nobody is asked")
	}
	switch n := b.rng.IntN(20); {
	case n == 0 && b.kills < 2:
		b.kills++
		b.tell("restarted")
		b.restart()
	case n == 1 && b.rng.IntN(3) == 0:
		b.abort()
	case n == 2:
		b.tell("a day passes")
		b.clock.Advance(25 * time.Hour)
		b.must(b.service.Tick(b.t.Context()))
	case n < 6:
		b.clock.Advance(10 * time.Second)
	default:
		b.act()
	}
}

func (b *batchRun) abort() {
	b.tell("aborted")
	b.aborted = true
	b.must(b.service.Abort(b.t.Context(), ana, b.run))
	if b.cancel != nil {
		b.cancel(&loop.AbortCause{By: ana.Email})
	}
}

// act is one thing that a person does to one of the approvals.
func (b *batchRun) act() {
	var open []agent.Approval
	for _, a := range b.snapshot().Approvals {
		undoable := a.Status == agent.ApprovalDecided && !a.Applied && b.clock.Now().Before(a.EffectiveAt) && b.rng.IntN(4) == 0
		if a.Status.Open() || undoable {
			open = append(open, a)
		}
	}
	if len(open) == 0 {
		return
	}
	switch a := open[b.rng.IntN(len(open))]; a.Status {
	case agent.ApprovalDecided:
		b.tell("undo %s", a.ToolCallID)
		_, err := b.service.Undo(b.t.Context(), rex, a.ID)
		b.must(err)
	case agent.ApprovalExpired:
		b.tell("ask %s again", a.ToolCallID)
		_, err := b.service.Reopen(b.t.Context(), ana, a.ID)
		b.must(err)
	default:
		v := rex
		if a.Author == rex.Email || (a.Author == "" && b.rng.IntN(2) == 0) {
			v = rey
		}
		if a.Kind == agent.KindQuestion {
			v = ana
		}
		dec := b.decision(a)
		b.tell("%s: %s %s %s", v.UserID, dec.Verb, a.Kind, a.ToolCallID)
		b.decide(v, a.ID, dec)
	}
}

// decision is one that fits an approval; all of its texts name the call that it is about.
func (b *batchRun) decision(a agent.Approval) agent.Decision {
	id := a.ToolCallID
	verbs := map[agent.ApprovalKind][]agent.Verb{
		agent.KindTool:     {agent.DecideApprove, agent.DecideApprove, agent.DecideEdit, agent.DecideReject},
		agent.KindQuestion: {agent.DecideAnswer, agent.DecideReject},
		agent.KindOutcome:  {agent.DecideAnswer, agent.DecideApprove, agent.DecideReject},
		agent.KindLoop:     {agent.DecideResume},
	}[a.Kind]
	dec := agent.Decision{Verb: verbs[b.rng.IntN(len(verbs))], ArgsHash: a.ArgsHash, Generation: a.Generation}
	switch dec.Verb {
	case agent.DecideEdit:
		dec.Args = json.RawMessage(fmt.Sprintf(`{"id":"%s","edited":"for %s, generation %d"}`, id, id, a.Generation))
	case agent.DecideReject:
		dec.Comment = "because of " + id
	case agent.DecideAnswer:
		dec.Answer = "said of " + id
	}
	return dec
}

// batchJournal lets people act between any two entries, and the process be killed.
type batchJournal struct {
	agent.Journal
	b *batchRun
}

func (j batchJournal) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	b := j.b
	rests := e.Run != nil && (e.Run.Status == agent.StatusPaused || e.Run.Status == agent.StatusQueued)
	switch n := b.rng.IntN(100); {
	case rests && n < 40, n < 10:
		b.act()
	case n == 99 && b.rng.IntN(3) == 0:
		b.abort()
	}
	if b.left == 0 {
		return agent.Committed{}, errPulled
	}
	b.left--
	return j.Journal.Append(ctx, e)
}
