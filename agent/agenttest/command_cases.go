package agenttest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"fusebox/agent"
)

func grantsByScope(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	decide := func(id string, verb agent.Verb, scope agent.Scope) {
		a := agent.Approval{
			ID: id, Kind: agent.KindTool, Risk: agent.RiskMedium, RunID: run.ID, ConversationID: "c", ToolName: "write_file",
			ArgsHash: "hash-" + id, Evidence: []byte(`{}`), Status: agent.ApprovalPending, Generation: 1, RequestedAt: clock.Now(), ExpiresAt: clock.Now(),
		}
		e := entry(run)
		e.Approvals = []agent.ApprovalChange{{Approval: a}}
		commit(t, j, e)
		a.Status, a.Decision, a.Scope, a.DecidedBy, a.DecidedAt = agent.ApprovalDecided, verb, scope, "rex@example.org", clock.Now()
		_, err := commitDecision(t.Context(), j, a)
		must(t, err)
	}
	decide("a1", agent.DecideApprove, agent.ScopeOnce)
	decide("a2", agent.DecideApprove, agent.ScopeRun)
	decide("a3", agent.DecideApprove, agent.ScopeConversation)
	decide("a4", agent.DecideReject, agent.ScopeConversation)
	decide("a5", agent.DecideEdit, agent.ScopeRun)
	decide("a6", agent.DecideEdit, agent.ScopeConversation) // the arguments of its hash were replaced, not approved
	wantGrants(t, j, run.ID, "[a2 a3 a5]")
	finish(t, j, run, clock)
	_, err := j.Enqueue(t.Context(), prompt("2"))
	must(t, err)
	wantGrants(t, j, "r2", "[a3]")
}

func findsLastAllowed(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	decide := func(id, hash string, verb agent.Verb, scope agent.Scope) {
		a := agent.Approval{
			ID: id, Kind: agent.KindTool, Risk: agent.RiskHigh, RunID: run.ID, ConversationID: "c", ToolName: "run_shell", ArgsHash: hash,
			Evidence: []byte(`{"effect":"exec","rule":"","files":[{"path":"` + id + `","hash":"h"}],"filesDecide":true}`),
			Status:   agent.ApprovalPending, Generation: 1, RequestedAt: clock.Now(), ExpiresAt: clock.Now(),
		}
		e := entry(run)
		e.Approvals = []agent.ApprovalChange{{Approval: a}}
		commit(t, j, e)
		a.Status, a.Decision, a.Scope, a.DecidedBy, a.DecidedAt = agent.ApprovalDecided, verb, scope, "rex@example.org", clock.Now()
		_, err := commitDecision(t.Context(), j, a)
		must(t, err)
		clock.Advance(time.Second)
	}
	decide("a1", "one", agent.DecideApprove, agent.ScopeOnce)
	decide("a2", "one", agent.DecideApprove, agent.ScopeConversation)
	decide("a3", "one", agent.DecideReject, agent.ScopeOnce)
	decide("a4", "two", agent.DecideApprove, agent.ScopeOnce)
	for _, tc := range []struct{ conversation, tool, hash, want string }{
		{"c", "run_shell", "one", "a2"}, {"c", "run_shell", "two", "a4"}, {"c", "run_shell", "three", ""},
		{"other", "run_shell", "one", ""}, {"c", "write_file", "one", ""},
	} {
		last, err := j.LastAllowed(t.Context(), tc.conversation, tc.tool, tc.hash)
		must(t, err)
		if got := last != nil; got != (tc.want != "") || got && (last.ID != tc.want || last.SeenFiles()[0].Path != tc.want) {
			t.Errorf("%+v: %+v", tc, last)
		}
	}
	snap := snapshot(t, j, run.ID)
	if g := snap.Grants; len(g) != 1 || !g[0].FilesDecide || len(g[0].Files) != 1 || g[0].Files[0].Path != "a2" {
		t.Errorf("grants %+v", g)
	}
}

func wantGrants(t *testing.T, j Journal, runID, want string) {
	t.Helper()
	snap := snapshot(t, j, runID)
	var ids []string
	for _, g := range snap.Grants {
		ids = append(ids, g.ApprovalID)
		if g.ArgsHash != "hash-"+g.ApprovalID || g.ToolName != "write_file" || g.Risk != agent.RiskMedium || g.DecidedBy != "rex@example.org" {
			t.Errorf("grant %+v", g)
		}
	}
	if got := fmt.Sprint(ids); got != want {
		t.Errorf("grants of %s are %s, want %s", runID, got, want)
	}
}

func tellsWhatStands(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	a := ask(t, j, run, clock)
	unknown := decided(a, "ana@example.org", clock)
	unknown.ID = "nobody"
	_, err := commitDecision(t.Context(), j, unknown)
	wantCode(t, err, agent.NotFound)
	e := entry(run)
	cancelled := a
	cancelled.Status = agent.ApprovalCancelled
	e.Approvals = []agent.ApprovalChange{{From: agent.ApprovalPending, Approval: cancelled}}
	commit(t, j, e)
	_, err = commitDecision(t.Context(), j, decided(a, "ana@example.org", clock))
	wantStanding(t, err, agent.ApprovalCancelled)
}

func wantStanding(t *testing.T, err error, status agent.ApprovalStatus) {
	t.Helper()
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != agent.Conflict {
		t.Fatalf("error %v, want a conflict", err)
	}
	if stands, ok := e.Current.(*agent.Approval); !ok || stands.Status != status {
		t.Errorf("what stands is %+v, want %s", e.Current, status)
	}
}

func bindsToGeneration(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	shown := ask(t, j, run, clock)
	again := shown
	again.Generation, again.ArgsHash, again.ExpiresAt = 2, "h2", clock.Now().Add(2*time.Hour)
	e := entry(run)
	e.Approvals = []agent.ApprovalChange{{From: agent.ApprovalPending, Approval: again}}
	commit(t, j, e)
	_, err := commitDecision(t.Context(), j, decided(shown, "ana@example.org", clock))
	wantStanding(t, err, agent.ApprovalPending)
	again.Version = 1
	done, err := commitDecision(t.Context(), j, decided(again, "ana@example.org", clock))
	must(t, err)
	if done.Generation != 2 || done.ArgsHash != "h2" || !done.ExpiresAt.Equal(again.ExpiresAt) || done.Version != 2 {
		t.Errorf("decided %+v", done)
	}
}

func abortsOnce(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	ask(t, j, run, clock)
	commit(t, j, pause(run))
	must(t, j.RequestAbort(t.Context(), run.ID, "ana@example.org"))
	must(t, j.RequestAbort(t.Context(), run.ID, "ben@example.org"))
	again, err := j.Claim(t.Context(), "p1", time.Minute)
	must(t, err)
	if again.ID != run.ID || again.AbortBy != "ana@example.org" {
		t.Errorf("claimed %+v", again)
	}
	finish(t, j, again, clock)
	must(t, j.RequestAbort(t.Context(), run.ID, "ben@example.org"))
	wantCode(t, j.RequestAbort(t.Context(), "nobody", "ana@example.org"), agent.NotFound)
}

func takesOverOnce(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	ask(t, j, run, clock)
	commit(t, j, pause(run))
	must(t, j.RequestTakeover(t.Context(), run.ID, "ana@example.org", "It is 42."))
	wantCode(t, j.RequestTakeover(t.Context(), run.ID, "ben@example.org", "It is 43."), agent.Conflict)
	must(t, j.RequestAbort(t.Context(), run.ID, "ben@example.org"))
	again, err := j.Claim(t.Context(), "p1", time.Minute)
	must(t, err)
	if again.ID != run.ID || again.AbortBy != "ana@example.org" || again.Takeover != "It is 42." {
		t.Errorf("claimed %+v", again)
	}
	finish(t, j, again, clock)
	wantCode(t, j.RequestTakeover(t.Context(), run.ID, "ben@example.org", "It is 43."), agent.Conflict)
	wantCode(t, j.RequestTakeover(t.Context(), "nobody", "ana@example.org", "x"), agent.NotFound)
}

func pauseMeetsAbort(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	ask(t, j, run, clock)
	must(t, j.RequestAbort(t.Context(), run.ID, "ana@example.org"))
	if _, err := j.Append(t.Context(), pause(run)); !errors.Is(err, agent.ErrDecided) {
		t.Fatalf("err = %v, want ErrDecided", err)
	}
}

func seesByRole(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	check := func(v agent.Viewer, conversation, running, approval agent.Code) {
		t.Helper()
		_, err := j.Conversation(t.Context(), v, "c")
		wantCode(t, err, conversation)
		_, err = j.Run(t.Context(), v, run.ID)
		wantCode(t, err, running)
		_, err = j.Approval(t.Context(), v, "a1")
		wantCode(t, err, approval)
	}
	reviewer := agent.Viewer{UserID: "r", Role: agent.RoleReviewer}
	check(reviewer, agent.NotFound, agent.NotFound, agent.NotFound)
	ask(t, j, run, clock)
	check(agent.Viewer{UserID: "u", Role: agent.RoleUser}, "", "", "")
	check(agent.Viewer{UserID: "x", Role: agent.RoleUser}, agent.NotFound, agent.NotFound, agent.NotFound)
	check(reviewer, agent.NotFound, "", "")
	check(agent.Viewer{UserID: "y", Role: agent.RoleAdmin}, "", "", "")
}

func overdueInOrder(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	e := entry(run)
	for i, after := range []time.Duration{3, 1, 2, 9} {
		e.Approvals = append(e.Approvals, agent.ApprovalChange{Approval: agent.Approval{
			ID: fmt.Sprint("a", i), Kind: agent.KindTool, RunID: run.ID, ConversationID: "c", Evidence: []byte(`{}`),
			Status: agent.ApprovalPending, Generation: 1, RequestedAt: clock.Now(), DueAt: clock.Now().Add(after * time.Minute),
		}})
	}
	commit(t, j, e)
	overdue, err := j.Due(t.Context(), clock.Now().Add(5*time.Minute), 2)
	must(t, err)
	if len(overdue) != 2 || overdue[0].ID != "a1" || overdue[1].ID != "a2" {
		t.Errorf("overdue: %+v", overdue)
	}
}
