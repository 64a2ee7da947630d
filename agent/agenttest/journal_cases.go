package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"fusebox/agent"
)

func numbersEvents(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	for range 3 {
		commit(t, j, entry(run, agent.Notice{Message: "a"}, agent.TextDelta{ID: "m", Delta: "é\u0000b"}))
	}
	events, err := j.Events(t.Context(), "c", 0, 100)
	must(t, err)
	if len(events) != 7 { // the person's message, and three times two
		t.Fatalf("%d events, want 7", len(events))
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has seq %d", i, e.Seq)
		}
	}
	if d, ok := events[6].Data.(agent.TextDelta); !ok || d.Delta != "é\u0000b" {
		t.Errorf("event came back as %#v", events[6].Data)
	}
	tail, err := j.Events(t.Context(), "c", 5, 100)
	must(t, err)
	if len(tail) != 2 || tail[0].Seq != 6 {
		t.Errorf("after 5 came %v", tail)
	}
}

func refusesStale(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	old := *run
	clock.Advance(2 * time.Minute)
	_, err := j.Claim(t.Context(), "p2", time.Minute)
	must(t, err)
	e := entry(&old, agent.Notice{Message: "from the dead"})
	e.Messages = []agent.Message{{ID: "late", ConversationID: "c", ParentID: "m1", Role: agent.FromAssistant, CreatedAt: clock.Now()}}
	if _, err := j.Append(t.Context(), e); !errors.Is(err, agent.ErrStale) {
		t.Fatalf("err = %v, want ErrStale", err)
	}
	snap := snapshot(t, j, run.ID)
	if len(snap.Branch) != 1 {
		t.Errorf("the branch has %d messages, want the person's alone", len(snap.Branch))
	}
	if err := j.Renew(t.Context(), run.ID, old.Epoch, time.Minute); !errors.Is(err, agent.ErrStale) {
		t.Errorf("renew: %v, want ErrStale", err)
	}
}

func refusesIllegalStatus(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	end := *run
	end.Status, end.StopReason, end.EndedAt = agent.StatusFinished, agent.StopGoal, clock.Now()
	e := entry(run)
	e.Run = &end
	commit(t, j, e)
	back := *run
	e.Run = &back
	_, err := j.Append(t.Context(), e)
	wantCode(t, err, agent.Conflict)
}

func call(run *agent.Run, state agent.CallState) agent.ToolCall {
	return agent.ToolCall{
		ID: "call", RunID: run.ID, ConversationID: "c", MessageID: "m", Step: 1, Name: "calculator",
		Args: `{"expression":"1+1"}`, ArgsHash: "h", State: state,
	}
}

func movesCallsByCompareAndSet(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	move := func(from agent.CallState, event agent.CallEvent, to agent.CallState) error {
		e := entry(run)
		e.Calls = []agent.CallChange{{From: from, Event: event, Call: call(run, to)}}
		_, err := j.Append(t.Context(), e)
		return err
	}
	must(t, move("", agent.CallAsked, agent.CallValidating))
	must(t, move(agent.CallValidating, agent.CallAllowed, agent.CallScheduled))
	must(t, move(agent.CallScheduled, agent.CallClaimed, agent.CallExecuting))
	wantCode(t, move(agent.CallScheduled, agent.CallClaimed, agent.CallExecuting), agent.Conflict)
	if move(agent.CallExecuting, agent.CallAsked, agent.CallValidating) == nil {
		t.Error("a call went back to validating")
	}
}

// ask appends a pending approval.
func ask(t *testing.T, j Journal, run *agent.Run, clock *Clock) agent.Approval {
	t.Helper()
	a := agent.Approval{
		ID: "a1", Kind: agent.KindTool, Risk: agent.RiskHigh, RunID: run.ID, ConversationID: "c", ToolCallID: "call",
		ToolName: "run_shell", Args: json.RawMessage(`{"command":"ls"}`), ArgsHash: "h", Evidence: json.RawMessage(`{}`),
		Message: "why", Status: agent.ApprovalPending, Generation: 1, RequestedAt: clock.Now(), ExpiresAt: clock.Now().Add(time.Hour),
	}
	e := entry(run)
	e.Approvals = []agent.ApprovalChange{{Approval: a}}
	commit(t, j, e)
	return a
}

func decided(a agent.Approval, by string, clock *Clock) agent.Approval {
	a.Status, a.Decision, a.DecidedBy, a.DecidedAt = agent.ApprovalDecided, agent.DecideApprove, by, clock.Now()
	return a
}

// commitDecision commits what was decided, as the service does.
func commitDecision(ctx context.Context, j Journal, a agent.Approval) (*agent.Approval, error) {
	return j.ChangeApproval(ctx, agent.ApprovalUpdate{To: a, Frees: true, Events: []agent.EventData{agent.ApprovalDecidedEvent{
		ApprovalID: a.ID, Kind: string(a.Kind), Decision: string(a.Decision), DecidedBy: a.DecidedBy,
	}}})
}

func pause(run *agent.Run) agent.Change {
	paused := *run
	paused.Status = agent.StatusPaused
	e := entry(run, agent.RunPaused{ApprovalIDs: []string{"a1"}})
	e.Run = &paused
	return e
}

func pauseMeetsDecision(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	a := ask(t, j, run, clock)
	_, err := commitDecision(t.Context(), j, decided(a, "ana@example.org", clock))
	must(t, err)
	if _, err := j.Append(t.Context(), pause(run)); !errors.Is(err, agent.ErrDecided) {
		t.Fatalf("err = %v, want ErrDecided", err)
	}
	todo, err := j.Decisions(t.Context(), run.ID)
	must(t, err)
	if len(todo) != 1 || todo[0].DecidedBy != "ana@example.org" {
		t.Errorf("decisions to apply: %+v", todo)
	}
}

func firstDecisionWins(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	a := ask(t, j, run, clock)
	commit(t, j, pause(run))
	results := make(chan error, 2)
	for _, who := range []string{"ana@example.org", "ben@example.org"} {
		go func() {
			_, err := commitDecision(context.Background(), j, decided(a, who, clock))
			results <- err
		}()
	}
	wins := 0
	for range 2 {
		err := <-results
		if err == nil {
			wins++
			continue
		}
		var e *agent.Error
		if !errors.As(err, &e) || e.Code != agent.Conflict || e.Current == nil {
			t.Errorf("the loser got %v, want a conflict with what stands", err)
		}
	}
	if wins != 1 {
		t.Errorf("%d decisions won", wins)
	}
	again, err := j.Claim(t.Context(), "p1", time.Minute)
	must(t, err)
	if again.ID != run.ID || again.Epoch != run.Epoch+1 {
		t.Errorf("claimed %s at epoch %d", again.ID, again.Epoch)
	}
}

func claimsAfterLease(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	_, err := j.Claim(t.Context(), "p2", time.Minute)
	wantCode(t, err, agent.NotFound)
	clock.Advance(50 * time.Second)
	must(t, j.Renew(t.Context(), run.ID, run.Epoch, time.Minute))
	clock.Advance(50 * time.Second)
	_, err = j.Claim(t.Context(), "p2", time.Minute)
	wantCode(t, err, agent.NotFound)
	clock.Advance(time.Minute)
	again, err := j.Claim(t.Context(), "p2", time.Minute)
	must(t, err)
	if again.Owner != "p2" || again.Epoch != run.Epoch+1 || again.Status != agent.StatusRunning {
		t.Errorf("claimed %+v", again)
	}
}

func enqueuesOnce(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	p := prompt("2")
	p.ClientID = "client1"
	done, err := j.Enqueue(t.Context(), p)
	must(t, err)
	if !done.Existing || done.RunID != run.ID || done.MessageID != "m1" {
		t.Errorf("enqueued %+v", done)
	}
}

func startsWithMessage(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	finish(t, j, run, clock)
	p := prompt("2")
	p.Claim = &agent.Claim{Owner: "p2", Lease: time.Minute}
	done, err := j.Enqueue(t.Context(), p)
	must(t, err)
	snap := snapshot(t, j, "r2")
	got := snap.Run
	if done.Started == nil || done.Started.Epoch != 1 || got.Status != agent.StatusRunning || got.Owner != "p2" || got.Epoch != 1 || got.StartedAt.IsZero() {
		t.Errorf("started %+v, stored %+v", done.Started, got)
	}
	events, err := j.Events(t.Context(), "c", 1, 100)
	must(t, err)
	if len(events) != 2 || events[1].Type() != "run-start" {
		t.Errorf("events %v", events)
	}
	_, err = j.Claim(t.Context(), "p3", time.Minute)
	wantCode(t, err, agent.NotFound)
}

func oneActiveRun(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	_, err := j.Enqueue(t.Context(), prompt("2"))
	wantCode(t, err, agent.Conflict)
	finish(t, j, run, clock)
	_, err = j.Enqueue(t.Context(), prompt("2"))
	must(t, err)
	bad := prompt("3")
	bad.ParentID = "m-of-another-conversation"
	_, err = j.Enqueue(t.Context(), bad)
	wantCode(t, err, agent.Invalid)
}

func snapshots(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	ask(t, j, run, clock)
	e := entry(run)
	e.Messages = []agent.Message{
		{
			ID: "n1", ConversationID: "c", ParentID: "m1", Role: agent.FromAssistant, RunID: run.ID, CreatedAt: clock.Now(),
			ToolCalls: []agent.CallRequest{{ID: "call", Name: "calculator", Arguments: "{}"}}, Usage: &agent.Usage{Tokens: agent.Tokens{InputTokens: 7}},
		},
		{ID: "n2", ConversationID: "c", ParentID: "n1", Role: agent.FromTool, ToolCallID: "call", RunID: run.ID, CreatedAt: clock.Now()},
	}
	e.Calls = []agent.CallChange{{Event: agent.CallAsked, Call: call(run, agent.CallValidating)}}
	e.Steps = []agent.Step{{RunID: run.ID, N: 1, ConversationID: "c", UserID: "u", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 7, OutputTokens: 5}}}}
	next := *run
	next.State.DraftID, next.State.Trips = "d", []agent.Trip{{Detector: "x", Level: agent.Warn, Count: 5}}
	e.Run = &next
	commit(t, j, e)
	snap := snapshot(t, j, run.ID)
	if len(snap.Branch) != 3 || snap.Branch[0].ID != "m1" || snap.Branch[2].ID != "n2" || snap.Branch[1].Usage.InputTokens != 7 {
		t.Errorf("branch = %+v", snap.Branch)
	}
	if len(snap.Calls) != 1 || len(snap.Approvals) != 1 || snap.OwnerEmail != "ana@example.org" {
		t.Errorf("snapshot = %+v", snap)
	}
	if snap.Run.State.DraftID != "d" || len(snap.Run.State.Trips) != 1 || snap.Run.Limits.Tokens != 1000 {
		t.Errorf("run = %+v", snap.Run)
	}
}
