package looptest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
	"fusebox/agent/service"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Reasoning: "hm", Text: "Hello.", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 5}}})
	run := w.post("Hi")
	if run.Status != agent.StatusFinished || run.StopReason != agent.StopGoal || run.Steps != 1 || run.CostMicros != 20 {
		t.Errorf("run = %+v", run)
	}
	var types []string
	for _, e := range w.events() {
		types = append(types, e.Type())
	}
	want := "message run-start step-start reasoning-delta text-delta message step-finish budget finish"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("events: %s\nwant:   %s", got, want)
	}
	if m := w.soundHistory(); len(m) != 2 || m[1].Content != "Hello." || m[1].Reasoning != "hm" {
		t.Errorf("history = %+v", m)
	}
}

// TestDeadLoop: the model is warned at 5, a person is asked at 8 with the
// eight calls on the table, and the breaker ends the run at 10.
func TestDeadLoop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, calling(20, "look", false)...)
	run := w.post("loop")
	if run.Status != agent.StatusPaused || w.tools.executed("look") != 7 {
		t.Fatalf("run is %s after %d executions, want paused after 7", run.Status, w.tools.executed("look"))
	}
	trips := find[agent.GuardEvent](w.events())
	if len(trips) != 2 || trips[0].Level != "warning" || trips[0].Count != 5 || trips[1].Level != "critical" || trips[1].Count != 8 {
		t.Fatalf("guard events: %+v", trips)
	}
	reminded := w.model.Requests()[5].Messages
	if last := reminded[len(reminded)-1]; last.Role != agent.FromUser || !strings.Contains(last.Content, "[System reminder]") || !strings.Contains(last.Content, "look") {
		t.Errorf("the request after the warning ends with %+v", last)
	}
	card := w.card()
	var ev agent.LoopEvidence
	w.must(json.Unmarshal(card.Evidence, &ev))
	if card.Kind != agent.KindLoop || len(ev.Calls) != 8 || !ev.Calls[7].Blocked || ev.Calls[6].Blocked || ev.Calls[0].Tokens != 120 || ev.Threshold != 8 {
		t.Errorf("evidence: %+v", ev)
	}
	w.decide(ana, card.ID, agent.Decision{Verb: agent.DecideResume, Comment: "try something else"})
	run = w.advance(run.ID)
	if run.Status != agent.StatusStopped || run.StopReason != agent.StopLoop || w.tools.executed("look") != 9 {
		t.Errorf("run is %s (%s) after %d executions, want stopped (loop) after 9", run.Status, run.StopReason, w.tools.executed("look"))
	}
	guided := w.model.Requests()[8].Messages
	if last := guided[len(guided)-2]; !strings.Contains(last.Content, "try something else") {
		t.Errorf("guidance did not reach the model: %+v", last)
	}
	trips = find[agent.GuardEvent](w.events())
	if last := trips[len(trips)-1]; len(trips) != 3 || last.Level != "breaker" || last.Count != 10 {
		t.Errorf("guard events: %+v", trips)
	}
	w.soundHistory()
}

func TestTwelveFilesAreNoLoop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, calling(12, "look", true)...)
	run := w.post("read these 12 files")
	if trips := find[agent.GuardEvent](w.events()); len(trips) != 0 || run.Status != agent.StatusFinished {
		t.Errorf("run %s, verdicts %+v", run.Status, trips)
	}
}

func TestParallelCallsAnswerInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{
		agenttest.Call("a", "look", `{"x":1}`), agenttest.Call("b", "look", `{"x":2}`), agenttest.Call("c", "none", `{}`), agenttest.Call("d", "look", `{`),
	}})
	second := make(chan struct{})
	w.tools.do["look"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		if strings.Contains(string(in.Args), "1") {
			<-second // the first call ends only after the second has: they run at the same time
		} else {
			close(second)
		}
		return agent.ToolResult{Content: "got " + string(in.Args)}
	}
	w.post("go")
	m := w.soundHistory()
	var got []string
	for _, r := range m[2:6] {
		got = append(got, r.ToolCallID+": "+r.Content)
	}
	for i, want := range []string{`a: got {"x":1}`, `b: got {"x":2}`, "c: Error (tool_not_registered)", "d: Error (invalid_tool_params)"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("result %d is %q, want %q", i, got[i], want)
		}
	}
}

func TestApprovalExecutesNothingBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{
		agenttest.Call("a", "look", `{}`), agenttest.Call("b", "run_shell", `{"command":"rm -rf build"}`),
	}}, agenttest.Turn{Text: "ok"})
	run := w.post("clean up")
	if run.Status != agent.StatusPaused || w.tools.executed("run_shell") != 0 || w.tools.executed("look") != 1 {
		t.Fatalf("run %s; shell ran %d times, its read-only sibling %d", run.Status, w.tools.executed("run_shell"), w.tools.executed("look"))
	}
	card := w.card()
	if card.Risk != agent.RiskCritical {
		t.Errorf("risk %s", card.Risk)
	}
	if _, err := w.service.Decide(t.Context(), ana, card.ID, agent.Decision{Verb: agent.DecideApprove}); agent.CodeOf(err) != agent.Forbidden {
		t.Errorf("its owner approved a critical call: %v", err)
	}
	if _, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideApprove, ArgsHash: "other"}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a decision on other arguments was taken: %v", err)
	}
	w.restart()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, ArgsHash: card.ArgsHash, Generation: card.Generation})
	if _, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideReject}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a second decision was taken: %v", err)
	}
	run = w.advance(run.ID)
	if run.Status != agent.StatusFinished || w.tools.executed("run_shell") != 1 {
		t.Errorf("run %s, executed %d times", run.Status, w.tools.executed("run_shell"))
	}
	w.soundHistory()
}

func TestRejectionReachesTheModelAndIsRemembered(t *testing.T) {
	t.Parallel()
	again := agenttest.Call("b", "run_shell", `{"command": "reboot"}`)
	w := newWorld(t,
		agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{"command":"reboot"}`)}},
		agenttest.Turn{Calls: []agent.CallRequest{again}}, agenttest.Turn{Text: "fine"})
	run := w.post("restart it")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject, Comment: "not on a Friday"})
	run = w.advance(run.ID)
	if run.Status != agent.StatusFinished || w.tools.executed("run_shell") != 0 {
		t.Fatalf("run %s, executed %d times", run.Status, w.tools.executed("run_shell"))
	}
	m := w.soundHistory()
	if !strings.Contains(m[2].Content, "not on a Friday") || !strings.Contains(m[4].Content, "already refused") {
		t.Errorf("results: %q, %q", m[2].Content, m[4].Content)
	}
}

func TestEditedArgumentsAreTheExecutedOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{"command":"ls /"}`)}})
	run := w.post("look around")
	card := w.card()
	if _, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`[1]`)}); agent.CodeOf(err) != agent.Invalid {
		t.Errorf("arguments that fit no schema were taken: %v", err)
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`{"command":"ls ."}`)})
	run = w.advance(run.ID)
	if run.Status != agent.StatusFinished || len(w.tools.runs) != 1 || w.tools.runs[0] != `run_shell {"command":"ls ."}` {
		t.Errorf("run %s, executed %v", run.Status, w.tools.runs)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	shell := func(id, command string) agenttest.Turn {
		return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, "run_shell", `{"command":"`+command+`"}`)}}
	}
	w := newWorld(t, shell("a", "ls"), shell("b", "ls -l"), shell("c", "rm -rf x"))
	run := w.post("go")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun})
	w.advance(run.ID)
	card := w.card()
	if w.tools.executed("run_shell") != 2 || !strings.Contains(string(card.Args), "rm -rf") {
		t.Fatalf("executed %v, asked about %s", w.tools.runs, card.Args)
	}
	_, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun})
	if agent.CodeOf(err) != agent.Invalid {
		t.Errorf("a critical call was approved for the whole run: %v", err)
	}
	w.tellsWhatLetItPass(run.ID)
}

// tellsWhatLetItPass: the log says under which approval a call ran unasked, how
// far that approval reaches, and that it was revoked.
func (w *world) tellsWhatLetItPass(runID string) {
	w.t.Helper()
	decided, _, err := w.store.Approvals(w.t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalDecided, RunID: runID}, agent.Page{})
	w.must(err)
	if _, err := w.service.Revoke(w.t.Context(), ana, decided[0].ID); err != nil {
		w.t.Error(err)
	}
	var told []string
	for _, e := range w.events() {
		switch d := e.Data.(type) {
		case agent.ToolCallStateEvent:
			if d.Rule.String() != "" {
				told = append(told, d.ToolCallID+" "+d.Rule.String())
			}
		case agent.ApprovalDecidedEvent:
			told = append(told, "decided "+string(d.Scope))
		case agent.Notice:
			told = append(told, d.RevokedBy+" revoked "+d.RevokedID)
		}
	}
	want := []string{"decided run", "b scope:run:" + decided[0].ID, ana.Email + " revoked " + decided[0].ID}
	if !slices.Equal(told, want) {
		w.t.Errorf("the log tells %q, want %q", told, want)
	}
}

// TestEditForTheConversationApprovesNothingElse: what an edit replaced was not
// approved, neither in this run nor in the next.
func TestEditForTheConversationApprovesNothingElse(t *testing.T) {
	t.Parallel()
	call := func(id string) agenttest.Turn {
		return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, "run_shell", `{"command":"ls /"}`)}}
	}
	w := newWorld(t, call("a"), call("b"), agenttest.Turn{Text: "ok"}, call("c"))
	run := w.post("go")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`{"command":"ls ."}`), Scope: agent.ScopeConversation})
	run = w.advance(run.ID)
	if run.Status != agent.StatusPaused || w.tools.executed("run_shell") != 1 {
		t.Fatalf("run %s, executed %v", run.Status, w.tools.runs)
	}
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject})
	w.advance(run.ID)
	if run = w.post("again"); run.Status != agent.StatusPaused || w.tools.executed("run_shell") != 1 {
		t.Errorf("run %s, executed %v", run.Status, w.tools.runs)
	}
}

// TestTokenLimit: a run of 15,000 tokens on a model that uses 4,500 a step
// never goes over and says so; raised, it continues.
func TestTokenLimit(t *testing.T) {
	t.Parallel()
	turns := calling(6, "look", true)
	for i := range turns {
		turns[i].Usage = agent.Usage{Tokens: agent.Tokens{InputTokens: 4000, OutputTokens: 500}}
	}
	w := newWorld(t, turns...)
	limit := int64(15_000)
	_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{RunTokenLimit: &limit})
	w.must(err)
	run := w.post("spend")
	if run.Status != agent.StatusPaused || run.Usage.Total() != 13_500 {
		t.Fatalf("run %s with %d tokens", run.Status, run.Usage.Total())
	}
	card := w.card()
	var ev agent.BudgetEvidence
	w.must(json.Unmarshal(card.Evidence, &ev))
	if card.Kind != agent.KindBudget || ev.UsedTokens != 13_500 || ev.LimitTokens != 15_000 || ev.NextStepTokens < 4500 {
		t.Errorf("card %s: %+v", card.Kind, ev)
	}
	if _, err := w.service.Decide(t.Context(), ana, card.ID, agent.Decision{Verb: agent.DecideApprove}); agent.CodeOf(err) != agent.Forbidden {
		t.Errorf("a plain user raised his own budget: %v", err)
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 5000})
	run = w.advance(run.ID)
	if run.Usage.Total() != 18_000 || run.Status != agent.StatusPaused {
		t.Errorf("run %s with %d tokens of 20,000", run.Status, run.Usage.Total())
	}
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject})
	if run = w.advance(run.ID); run.StopReason != agent.StopTokenBudget || run.Status != agent.StatusStopped {
		t.Errorf("run %s (%s)", run.Status, run.StopReason)
	}
	for _, req := range w.model.Requests() {
		if req.MaxTokens > 15_000-4000 {
			t.Errorf("a call could have used %d output tokens", req.MaxTokens)
		}
	}
	w.soundHistory()
}

func TestAbortDuringAStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Text: "Once upon a time", Hold: true})
	ctx, cancel := context.WithCancelCause(t.Context())
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "tell"})
	w.must(err)
	claimed := w.claimed()
	left := make(chan error, 1)
	go func() { left <- w.runner.Loop.Advance(ctx, claimed) }()
	<-w.model.Holding
	cancel(&loop.AbortCause{By: ana.Email})
	w.must(<-left)
	run := w.advance(done.RunID)
	if run.Status != agent.StatusAborted || run.StopReason != agent.StopUserAbort || run.Usage.Total() == 0 || !run.Usage.Estimated {
		t.Errorf("run %+v", run)
	}
	if m := w.soundHistory(); len(m) != 2 || m[1].Content != "Once upon a time" {
		t.Errorf("what was read is lost: %+v", m)
	}
	w.must(w.service.Abort(t.Context(), ana, run.ID)) // idempotent
}

func TestAbortWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{"command":"ls"}`)}})
	run := w.post("list")
	card := w.card()
	if err := w.service.Abort(t.Context(), rex, run.ID); agent.CodeOf(err) != agent.Forbidden {
		t.Errorf("a reviewer aborted: %v", err)
	}
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	if run = w.advance(run.ID); run.Status != agent.StatusAborted {
		t.Fatalf("run %s", run.Status)
	}
	if _, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideApprove}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a dead request was decided: %v", err)
	}
	if m := w.soundHistory(); len(m) != 3 || w.tools.executed("run_shell") != 0 {
		t.Errorf("history %+v, executed %d", m, w.tools.executed("run_shell"))
	}
}

// TestCrashDuringATool: what only reads is run again; of anything else a
// person is asked whether it happened, and it is not run again unasked.
func TestCrashDuringATool(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool     string
		decision agent.Decision
		runs     int
		result   string
	}{
		{"look", agent.Decision{}, 2, "second time"},
		{"run_shell", agent.Decision{Verb: agent.DecideAnswer, Answer: "it printed 42"}, 1, "it printed 42"},
		{"run_shell", agent.Decision{Verb: agent.DecideApprove}, 2, "second time"},
		{"run_shell", agent.Decision{Verb: agent.DecideReject}, 1, "Error (interrupted)"},
	} {
		t.Run(tc.tool+" "+string(tc.decision.Verb), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", tc.tool, `{"command":"x"}`)}})
			ctx, kill := context.WithCancelCause(t.Context())
			w.tools.do[tc.tool] = func(ctx context.Context, _ agent.ToolInput) agent.ToolResult {
				if w.tools.executed(tc.tool) > 1 {
					return agent.ToolResult{Content: "second time"}
				}
				kill(loop.ErrShutdown)
				<-ctx.Done()
				return agent.ToolResult{ErrorType: agent.ErrCancelled, Content: "cut"}
			}
			done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
			w.must(err)
			err = w.runner.Loop.Advance(ctx, w.claimed())
			if tc.tool == "run_shell" { // it had to be approved first
				w.must(err)
				w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
				err = w.runner.Loop.Advance(ctx, w.claimed())
			}
			if !errors.Is(err, loop.ErrShutdown) {
				t.Fatalf("the run was not let go: %v", err)
			}
			w.restart()
			run := w.advance(done.RunID)
			if tc.decision.Verb != "" {
				card := w.card()
				if run.Status != agent.StatusPaused || card.Kind != agent.KindOutcome || w.tools.executed(tc.tool) != 1 {
					t.Fatalf("run %s, card %s, %d executions", run.Status, card.Kind, w.tools.executed(tc.tool))
				}
				w.decide(rex, card.ID, tc.decision)
				run = w.advance(done.RunID)
			}
			m := w.soundHistory()
			if run.Status != agent.StatusFinished || w.tools.executed(tc.tool) != tc.runs || !strings.Contains(m[2].Content, tc.result) {
				t.Errorf("run %s, %d executions, result %q", run.Status, w.tools.executed(tc.tool), m[2].Content)
			}
		})
	}
}

// TestCrashDuringAStream: the cut text is voided and the model is asked again,
// under the same step.
func TestCrashDuringAStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Text: "half an ans", Hold: true}, agenttest.Turn{Text: "The whole answer."})
	ctx, kill := context.WithCancelCause(t.Context())
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "tell"})
	w.must(err)
	claimed := w.claimed()
	left := make(chan error, 1)
	go func() { left <- w.runner.Loop.Advance(ctx, claimed) }()
	<-w.model.Holding
	kill(loop.ErrShutdown)
	if err := <-left; !errors.Is(err, loop.ErrShutdown) {
		t.Fatal(err)
	}
	w.restart()
	run := w.advance(done.RunID)
	if run.Status != agent.StatusFinished || run.Steps != 1 || len(find[agent.MessageReset](w.events())) != 1 {
		t.Errorf("run %+v, resets %v", run, find[agent.MessageReset](w.events()))
	}
	if m := w.soundHistory(); len(m) != 2 || m[1].Content != "The whole answer." {
		t.Errorf("history %+v", m)
	}
}

func TestEndings(t *testing.T) {
	t.Parallel()
	failing := func(w *world) {
		w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
			return agent.ToolResult{ErrorType: agent.ErrExecution, Content: "broken"}
		}
	}
	for _, tc := range []struct {
		name   string
		turns  []agenttest.Turn
		set    func(*world)
		after  func(*world, *agent.Run)
		status agent.Status
		reason agent.StopReason
	}{
		{"terminate", []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("a", "end", `{}`)}}}, nil, nil, agent.StatusFinished, agent.StopTerminateTool},
		{"steps", calling(50, "look", true), nil, nil, agent.StatusStopped, agent.StopMaxSteps},
		{"time", calling(4, "look", true), func(w *world) {
			w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
				w.clock.Advance(3 * time.Minute)
				return agent.ToolResult{Content: "slow"}
			}
		}, nil, agent.StatusStopped, agent.StopTimeout},
		{"provider", []agenttest.Turn{{Text: "I beg", Err: &agent.ProviderError{Status: 500, Message: "down", Attempts: 3}}}, nil, nil, agent.StatusFailed, agent.StopProviderError},
		{"errors in a row, given up", calling(9, "look", true), failing, func(w *world, _ *agent.Run) {
			w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideReject})
		}, agent.StatusStopped, agent.StopConsecutiveErrors},
		{"taken over", calling(9, "look", false), nil, func(w *world, _ *agent.Run) {
			w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideTakeover, Answer: "It is 42."})
		}, agent.StatusFinished, agent.StopGoal},
		{"finish now", calling(8, "look", false), nil, func(w *world, _ *agent.Run) {
			w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideResume, Answer: agent.ResumeFinishNow})
		}, agent.StatusFinished, agent.StopGoal},
		{"goal", []agenttest.Turn{{Text: "It is 4."}}, nil, nil, agent.StatusFinished, agent.StopGoal},
		{"failure by the model's own word", []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("a", "end", `{}`)}}}, func(w *world) {
			w.tools.do["end"] = func(context.Context, agent.ToolInput) agent.ToolResult {
				return agent.ToolResult{Content: "ended", Terminate: &agent.Terminate{Message: "It cannot be done."}}
			}
		}, nil, agent.StatusFailed, agent.StopTerminateTool},
		{"loop", calling(12, "look", false), nil, func(w *world, _ *agent.Run) {
			w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideResume})
		}, agent.StatusStopped, agent.StopLoop},
		{"tokens", calling(30, "look", true), func(w *world) { w.service.Limits.Tokens = 700 }, func(w *world, _ *agent.Run) {
			w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject, Comment: "enough"})
		}, agent.StatusStopped, agent.StopTokenBudget},
		{"money", calling(30, "look", true), func(w *world) { w.service.Limits.CostMicros = 1500 }, func(w *world, _ *agent.Run) {
			w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject})
		}, agent.StatusStopped, agent.StopCostBudget},
		{"a chant, given up", []agenttest.Turn{{Text: "Good. " + strings.Repeat("I say it again and again. ", 60)}}, nil, func(w *world, _ *agent.Run) {
			w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideReject})
		}, agent.StatusStopped, agent.StopRejected},
		{"aborted", []agenttest.Turn{{Text: "I shall look.", Calls: []agent.CallRequest{
			agenttest.Call("a", "look", `{"x":1}`), agenttest.Call("b", "run_shell", `{"command":"x"}`)}}}, nil, func(w *world, run *agent.Run) {
			w.must(w.service.Abort(w.t.Context(), ana, run.ID))
		}, agent.StatusAborted, agent.StopUserAbort},
		{"expired", []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{}`)}}}, nil, func(w *world, _ *agent.Run) {
			w.service.OnTimeout = service.TimeoutAbort
			w.clock.Advance(25 * time.Hour)
			w.must(w.service.Tick(w.t.Context()))
		}, agent.StatusStopped, agent.StopApprovalExpired},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.turns...)
			if tc.set != nil {
				tc.set(w)
			}
			run := w.post("go")
			if tc.after != nil {
				tc.after(w, run)
				run = w.advance(run.ID)
			}
			if run.Status != tc.status || run.StopReason != tc.reason {
				t.Errorf("run %s (%s), want %s (%s)", run.Status, run.StopReason, tc.status, tc.reason)
			}
			ends := find[agent.Finish](w.events())
			if len(ends) != 1 || ends[0].ToolCalls != ends[0].ToolReturns {
				t.Errorf("finish events: %+v", ends)
			}
			if tc.status != agent.StatusFinished && (!strings.Contains(ends[0].Message, "tools ran.") && !strings.Contains(ends[0].Message, "one: ")) {
				t.Errorf("the end does not say what was done: %q", ends[0].Message)
			}
			if tc.name == "aborted" && !strings.Contains(ends[0].Message, "Done: look. Not done: run_shell. Send a message") {
				t.Errorf("the end says %q", ends[0].Message)
			}
			w.soundHistory()
			w.model = agenttest.Script()
			w.restart()
			if next := w.post("and now?"); next.Status != agent.StatusFinished {
				t.Errorf("the next message ended %s", next.Status)
			}
		})
	}
}

func TestSupersedeEndsThePausedRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{"command":"ls"}`)}}, agenttest.Turn{Text: "ok"})
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	run := w.post("list")
	go func() { defer close(stopped); w.runner.Run(ctx, time.Second) }()
	_, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "never mind"})
	if agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a second message while a run waits: %v", err)
	}
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "never mind", Supersede: true})
	w.must(err)
	old, err := w.store.Run(t.Context(), ana, run.ID)
	w.must(err)
	if old.Status != agent.StatusAborted || done.RunID == run.ID {
		t.Errorf("the old run is %s", old.Status)
	}
	cancel()
	<-stopped
}

// TestPanicEndsItsRun: a bug costs one run, once, and not the server.
func TestPanicEndsItsRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, calling(3, "look", true)...)
	w.runner.Loop.Reminder = nil
	w.runner.Loop.Guards = func(agent.GuardSettings) []agent.Guard { return []agent.Guard{warnsAlways{}} } // its reminder panics
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() { defer close(stopped); w.runner.Run(ctx, time.Second) }()
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
	w.must(err)
	if run := w.rests(done.RunID); run.Status != agent.StatusFailed {
		t.Errorf("the run is %s", run.Status)
	}
	cancel()
	<-stopped
	w.soundHistory()
}

type warnsAlways struct{}

func (warnsAlways) Name() string { return "warns_always" }

func (warnsAlways) Check(h *agent.History) agent.Verdict {
	if h.Next == nil {
		return agent.Verdict{}
	}
	return agent.Verdict{Level: agent.Warn, Detector: "warns_always", Key: h.Next.CallID, Count: 1}
}

// lateJournal lets something happen right after a run was loaded.
type lateJournal struct {
	agent.Journal
	after func()
}

func (j *lateJournal) Snapshot(ctx context.Context, runID string) (*agent.Snapshot, error) {
	snap, err := j.Journal.Snapshot(ctx, runID)
	if after := j.after; after != nil {
		j.after = nil
		after()
	}
	return snap, err
}

// TestDecisionWhileTheRunEnds: an approval that is decided in the moment in which an
// abort cancels it leaves no run behind that nobody ends.
func TestDecisionWhileTheRunEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{"command":"ls"}`)}})
	run := w.post("list")
	card := w.card()
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	w.runner.Loop.Journal = &lateJournal{w.store, func() { w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove}) }}
	if run = w.advance(run.ID); run.Status != agent.StatusAborted || w.tools.executed("run_shell") != 0 {
		t.Errorf("run %s, executed %d", run.Status, w.tools.executed("run_shell"))
	}
	w.soundHistory()
}
