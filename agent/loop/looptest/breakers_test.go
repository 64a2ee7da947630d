package looptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

func resume(answer string, n int) agent.Decision {
	return agent.Decision{Verb: agent.DecideResume, Answer: answer, N: n}
}

// TestAllowMoreEndsByItself: a person allows three more of a call; the approval
// comes back after them, and the breaker stands as far behind as before.
func TestAllowMoreEndsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, calling(20, "look", false)...)
	run := w.post("go")
	w.decide(ana, w.card().ID, resume(agent.ResumeAllowMore, 3))
	run = w.advance(run.ID)
	card := w.card()
	var ev agent.LoopEvidence
	w.must(json.Unmarshal(card.Evidence, &ev))
	if run.Status != agent.StatusPaused || ev.Count != 11 || ev.Threshold != 11 || w.tools.executed("look") != 10 {
		t.Fatalf("run %s at %d of %d, %d executions", run.Status, ev.Count, ev.Threshold, w.tools.executed("look"))
	}
	w.decide(ana, card.ID, resume(agent.ResumePlain, 0))
	run = w.advance(run.ID)
	if run.StopReason != agent.StopLoop || w.tools.executed("look") != 12 {
		t.Errorf("run %s (%s), %d executions, want the breaker before the 13th", run.Status, run.StopReason, w.tools.executed("look"))
	}
	w.soundHistory()
}

// TestOneStreakAsksOnce: two calls that take turns pause once; a person lets
// them continue; the detector that counts each call for itself asks no second
// time, and the breaker ends it.
func TestOneStreakAsksOnce(t *testing.T) {
	t.Parallel()
	var turns []agenttest.Turn
	for i := range 24 {
		turns = append(turns, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(fmt.Sprint("c", i), "look", fmt.Sprintf(`{"x":%d}`, i%2))}})
	}
	w := newWorld(t, turns...)
	w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult { return agent.ToolResult{Content: "same"} }
	run := w.post("go")
	w.decide(ana, w.card().ID, resume(agent.ResumePlain, 0))
	run = w.advance(run.ID)
	if run.StopReason != agent.StopLoop || w.tools.executed("look") != 18 {
		t.Errorf("run %s (%s) after %d executions, want the breaker at the tenth of each", run.Status, run.StopReason, w.tools.executed("look"))
	}
}

func TestAllowMoreHasBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, calling(9, "look", false)...)
	w.post("go")
	_, err := w.service.Decide(t.Context(), ana, w.card().ID, resume(agent.ResumeAllowMore, 21))
	if agent.CodeOf(err) != agent.Invalid || !strings.Contains(err.Error(), "n: is 21; allowed: 1 to 20") {
		t.Errorf("err = %v", err)
	}
}

// TestPollingWaitsOutsideTheModel: the call is retried after 2 s, 4 s, …
// without a model call between; the wait is a row that survives a restart; what
// has changed goes to the model.
func TestPollingWaitsOutsideTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(calling(8, "look", false), agenttest.Turn{Text: "It is ready."})...)
	state := "pending"
	w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		return agent.ToolResult{Content: state}
	}
	run := w.post("wait for it")
	w.decide(ana, w.card().ID, resume(agent.ResumeAsPolling, 0))
	run = w.advance(run.ID)
	asked := len(w.model.Requests())
	for i, wait := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second} {
		if run.Status != agent.StatusQueued || !run.WakeAt.Equal(w.clock.Now().Add(wait)) {
			t.Fatalf("try %d: run %s wakes in %s, want %s", i, run.Status, run.WakeAt.Sub(w.clock.Now()), wait)
		}
		w.clock.Advance(wait - time.Second)
		if run = w.advance(run.ID); w.tools.executed("look") != 7+i {
			t.Fatalf("try %d came too early", i)
		}
		w.restart()
		w.clock.Advance(time.Second)
		if i == 2 {
			state = "ready"
		}
		run = w.advance(run.ID)
	}
	if run.Status != agent.StatusFinished || w.tools.executed("look") != 10 || len(w.model.Requests()) != asked+1 {
		t.Errorf("run %s, %d executions, %d model calls while waiting", run.Status, w.tools.executed("look"), len(w.model.Requests())-asked-1)
	}
	requests := w.model.Requests()
	if last := requests[len(requests)-1].Messages; last[len(last)-1].Content != "ready" {
		t.Errorf("the model read %q", last[len(last)-1].Content)
	}
	if run.Active > time.Second {
		t.Errorf("waiting counted as running time: %s", run.Active)
	}
	w.soundHistory()
}

// TestPollingEnds: nothing changes until the wait is over; then the model
// reads the old result, and an abort ends a wait at once.
func TestPollingEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(calling(8, "look", false), agenttest.Turn{Text: "Nothing happened."})...)
	run := w.post("wait for it")
	w.decide(ana, w.card().ID, resume(agent.ResumeAsPolling, 0))
	run = w.advance(run.ID)
	for tries := 0; run.Status == agent.StatusQueued; tries++ {
		if tries > 60 {
			t.Fatal("the wait does not end")
		}
		w.clock.Advance(time.Minute)
		run = w.advance(run.ID)
	}
	if run.Status != agent.StatusFinished || w.tools.executed("look") > 7+40 {
		t.Errorf("run %s, %d executions", run.Status, w.tools.executed("look"))
	}

	w = newWorld(t, calling(8, "look", false)...)
	run = w.post("wait for it")
	w.decide(ana, w.card().ID, resume(agent.ResumeAsPolling, 0))
	w.advance(run.ID)
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	if run = w.advance(run.ID); run.Status != agent.StatusAborted {
		t.Errorf("the waiting run is %s after the abort", run.Status)
	}
	w.soundHistory()
}

// TestOutputsAreOwed: a model that ends without delivering is reminded; what
// it delivers is held against its type; after three reminders the run stops.
func TestOutputsAreOwed(t *testing.T) {
	t.Parallel()
	emit := func(id, args string) agenttest.Turn {
		return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, "emit_value", args)}}
	}
	outputs := map[string]string{"city": "string", "days": "integer"}
	withTool := func(w *world) {
		w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "emit_value", Effect: agent.EffectRead, Idempotent: true, ForOutputs: true})
		w.tools.do["emit_value"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
			var e agent.Emission
			w.must(json.Unmarshal(in.Args, &e))
			return agent.ToolResult{Content: "delivered", Emit: &e}
		}
	}
	post := func(w *world, outputs map[string]string) *agent.Run {
		done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go", Outputs: outputs})
		w.must(err)
		return w.advance(done.RunID)
	}

	w := newWorld(t, agenttest.Turn{Text: "I am done."}, emit("a", `{"name":"city","value":"Paris"}`),
		emit("b", `{"name":"days","value":"three"}`), emit("c", `{"name":"days","value":3}`), agenttest.Turn{Text: "Now I am."})
	withTool(w)
	run := post(w, outputs)
	if run.StopReason != agent.StopGoal || string(run.State.Values["city"]) != `"Paris"` || string(run.State.Values["days"]) != `3` {
		t.Errorf("run %s (%s) with %s", run.Status, run.StopReason, run.State.Values)
	}
	requests := w.model.Requests()
	nudge := requests[1].Messages[len(requests[1].Messages)-1].Content
	if !strings.Contains(nudge, "Missing: city (string), days (integer).") {
		t.Errorf("the reminder says %q", nudge)
	}
	if m := w.soundHistory(); !strings.Contains(m[5].Content, `"days" is not of type integer`) {
		t.Errorf("a wrong type was answered with %q", m[5].Content)
	}

	w = newWorld(t, agenttest.Turn{Text: "Done."}, agenttest.Turn{Text: "Really done."}, agenttest.Turn{Text: "Yes."}, agenttest.Turn{Text: "I said so."})
	withTool(w)
	run = post(w, outputs)
	end := find[agent.Finish](w.events())[0]
	if run.Status != agent.StatusStopped || len(w.model.Requests()) != 4 || !strings.Contains(end.Message, "city (string), days (integer)") {
		t.Errorf("run %s after %d model calls: %s", run.Status, len(w.model.Requests()), end.Message)
	}
	w.soundHistory()

	w = newWorld(t, emit("a", `{"name":"city","value":"Paris"}`), agenttest.Turn{Reasoning: "All is delivered."})
	withTool(w)
	if run = post(w, map[string]string{"city": "string"}); run.StopReason != agent.StopGoal || len(w.model.Requests()) != 2 {
		t.Errorf("with all delivered, run %s (%s) after %d model calls", run.Status, run.StopReason, len(w.model.Requests()))
	}

	w = newWorld(t, agenttest.Turn{Text: "Hello."})
	withTool(w)
	w.post("hi")
	for _, tool := range w.model.Requests()[0].Tools {
		if tool.Name == "emit_value" {
			t.Error("emit_value is offered where nothing is owed")
		}
	}
}

// TestJudge: the judge model is asked after 30 steps, believed when the run's
// own model agrees, paid for in lines of its own, and asked once for a step.
func TestJudge(t *testing.T) {
	t.Parallel()
	judged := func(turns ...agenttest.Turn) (*world, *agent.Run) {
		all := calling(60, "look", true)
		w := newWorld(t, slices.Concat(all[:30], turns, all[30:])...)
		w.runner.Loop.Settings.Guards.JudgeModel = "small"
		return w, w.post("go")
	}
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 50, OutputTokens: 5}}
	opinion := func(c string) agenttest.Turn {
		return agenttest.Turn{Text: `{"reasoning":"It wanders.","confidence":` + c + `}`, Usage: usage}
	}

	w, run := judged(opinion("0.95"), opinion("0.97"))
	card := w.card()
	if run.Status != agent.StatusPaused || card.Kind != agent.KindLoop || !strings.Contains(card.Message, "It wanders.") || run.Steps != 30 {
		t.Fatalf("run %s after %d steps: %s", run.Status, run.Steps, card.Message)
	}
	asked := w.model.Requests()[30:]
	if asked[0].Model != "small" || asked[1].Model != "demo" || asked[0].Schema == nil || len(asked[0].Tools) != 0 {
		t.Errorf("the judges were %s and %s", asked[0].Model, asked[1].Model)
	}
	steps, err := w.store.Steps(t.Context(), run.ID)
	w.must(err)
	kinds := map[agent.StepKind]int{}
	for _, s := range steps {
		kinds[s.Kind]++
	}
	if kinds[agent.StepJudge] != 1 || kinds[agent.StepOpinion] != 1 || run.Usage.Total() != 30*120+2*55 {
		t.Errorf("ledger %v, %d tokens", kinds, run.Usage.Total())
	}
	w.restart()
	w.decide(ana, card.ID, resume(agent.ResumePlain, 0))
	w.runner.Loop.Settings.Guards.JudgeModel = "small"
	w.advance(run.ID)
	if n := judgings(w); n[30] != 1 {
		t.Errorf("step 30 was judged %d times", n[30])
	}

	// 0.2 of confidence: the next look is 13 steps later.
	w, _ = judged(opinion("0.2"))
	if n := judgings(w); len(n) != 2 || n[30] != 1 || n[43] != 1 {
		t.Errorf("judged before the steps %v, want 30 and 43", n)
	}
	// The second opinion disagrees, or the judge talks nonsense: the run continues.
	for _, turns := range [][]agenttest.Turn{{opinion("0.95"), opinion("0.3")}, {{Text: "I think so", Usage: usage}}} {
		if w, run := judged(turns...); run.StopReason != agent.StopMaxSteps {
			t.Errorf("run %s (%s), %v", run.Status, run.StopReason, judgings(w))
		}
	}
}

// judgings are the steps before which the judge model was asked.
func judgings(w *world) map[int]int {
	n, steps := map[int]int{}, 0
	for _, r := range w.model.Requests() {
		switch {
		case r.Model == "small":
			n[steps]++
		case r.Schema == nil:
			steps++
		}
	}
	return n
}

// TestMoneyLimit: a run with a spending budget asks before it is exceeded, and
// stops where nobody raises it.
func TestMoneyLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, calling(20, "look", true)...)
	w.service.Limits.CostMicros = 1500 // a step costs 140, and the next may cost more
	run := w.post("go")
	card := w.card()
	if card.Kind != agent.KindBudget || run.CostMicros > 1500 {
		t.Fatalf("card %s, spent %d", card.Kind, run.CostMicros)
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove})
	run = w.advance(run.ID)
	if run.Limits.CostMicros != 3000 || run.CostMicros > 3000 {
		t.Fatalf("limit %d, spent %d", run.Limits.CostMicros, run.CostMicros)
	}
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject})
	if run = w.advance(run.ID); run.StopReason != agent.StopCostBudget {
		t.Errorf("run %s (%s)", run.Status, run.StopReason)
	}
	w.soundHistory()
}

// TestSwitchedOffRecordsOnly: a detector that an admin switched off holds
// nothing up, and its trace says what it would have said.
func TestSwitchedOffRecordsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(calling(9, "look", false), agenttest.Turn{Text: "ok"})...)
	for _, name := range []string{"generic_repeat", "no_progress"} {
		w.must(w.store.SetGuardSwitch(t.Context(), "admin@example.org", name, false))
	}
	run := w.post("go")
	if run.Status != agent.StatusFinished || len(find[agent.GuardEvent](w.events())) != 0 {
		t.Fatalf("run %s, verdicts %v", run.Status, len(find[agent.GuardEvent](w.events())))
	}
	rows, err := w.store.Verdicts(t.Context(), run.ID)
	w.must(err)
	said := ""
	for _, r := range rows {
		said += fmt.Sprintf("%s %s %d off=%t\n", r.Detector, r.Level, r.Count, r.Off)
	}
	want := "generic_repeat warning 5 off=true\nno_progress warning 5 off=true\ngeneric_repeat critical 8 off=true\nno_progress critical 8 off=true\n"
	if said != want {
		t.Errorf("the trace says\n%swant\n%s", said, want)
	}
}

// TestSparedStreakSaysWhy: five equal calls whose results change are not a loop,
// and the trace names the call at which they changed.
func TestSparedStreakSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, calling(6, "look", false)...)
	w.tools.specs[1].Polling = true // look
	n := 0
	w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		n++
		return agent.ToolResult{Content: fmt.Sprintf("%d %%", 10*n)}
	}
	run := w.post("go")
	rows, err := w.store.Verdicts(t.Context(), run.ID)
	w.must(err)
	if len(rows) != 1 || rows[0].Level != "pass" || !strings.Contains(rows[0].Message, "the result changed, last at call 4") {
		t.Errorf("the trace is %+v", rows)
	}
}

// TestAbortReachesWhatIsInFlight: a tool and a stream are cut off at once.
func TestAbortReachesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"tool", "stream"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			turn := agenttest.Turn{Text: "I am saying", Hold: true}
			if kind == "tool" {
				turn = calling(1, "look", false)[0]
			}
			w := newWorld(t, turn)
			inside := w.model.Holding
			if kind == "tool" {
				inside = make(chan struct{})
				w.tools.do["look"] = func(ctx context.Context, _ agent.ToolInput) agent.ToolResult {
					close(inside)
					<-ctx.Done()
					return agent.ToolResult{ErrorType: agent.ErrCancelled, Content: "cancelled"}
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			stopped := make(chan struct{})
			go func() { defer close(stopped); w.runner.Run(ctx, time.Second) }()
			done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
			w.must(err)
			agenttest.Receive(t, "what is to be aborted", inside)
			w.must(w.service.Abort(t.Context(), ana, done.RunID))
			if run := w.rests(done.RunID); run.Status != agent.StatusAborted {
				t.Errorf("the run is %s", run.Status)
			}
			cancel()
			<-stopped
			w.soundHistory()
		})
	}
}
