package agenttest

import (
	"errors"
	"testing"
	"time"

	"fusebox/agent"
)

// approvedLater commits an approval that takes effect after a minute.
func approvedLater(t *testing.T, j Journal, a agent.Approval, clock *Clock) agent.Approval {
	t.Helper()
	to := decided(a, "rex@example.org", clock)
	to.EffectiveAt = clock.Now().Add(time.Minute)
	done, err := j.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: to, Frees: true, WakeAt: to.EffectiveAt})
	must(t, err)
	return *done
}

func takesEffectLater(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	a := ask(t, j, run, clock)
	commit(t, j, pause(run))
	approvedLater(t, j, a, clock)
	clock.Advance(59 * time.Second)
	todo, err := j.Decisions(t.Context(), run.ID)
	must(t, err)
	_, claim := j.Claim(t.Context(), "p1", time.Minute)
	if len(todo) != 0 || agent.CodeOf(claim) != agent.NotFound {
		t.Errorf("before its time: %d decisions, claim %v", len(todo), claim)
	}
	clock.Advance(time.Second)
	todo, err = j.Decisions(t.Context(), run.ID)
	must(t, err)
	again, err := j.Claim(t.Context(), "p1", time.Minute)
	must(t, err)
	if len(todo) != 1 || again.ID != run.ID {
		t.Errorf("in its time: %d decisions, run %s", len(todo), again.ID)
	}
}

func undoPauses(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	a := ask(t, j, run, clock)
	commit(t, j, pause(run))
	back := approvedLater(t, j, a, clock)
	back.Status, back.Generation, back.EffectiveAt = agent.ApprovalPending, 2, time.Time{}
	_, err := j.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: back})
	must(t, err)
	clock.Advance(time.Hour)
	if _, err := j.Claim(t.Context(), "p1", time.Minute); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("a run woke for a decision that was taken back: %v", err)
	}
	active, err := j.ActiveRun(t.Context(), "c")
	must(t, err)
	if active.Status != agent.StatusPaused {
		t.Errorf("the run is %s, want paused", active.Status)
	}
}

func sleepLeavesLaterDecisions(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	later := approvedLater(t, j, ask(t, j, run, clock), clock)
	sleep := func(until time.Time) error {
		asleep := *run
		asleep.Status, asleep.WakeAt = agent.StatusQueued, until
		e := entry(run)
		e.Run = &asleep
		_, err := j.Append(t.Context(), e)
		return err
	}
	if err := sleep(later.EffectiveAt.Add(time.Second)); !errors.Is(err, agent.ErrDecided) {
		t.Errorf("it may sleep past a decision: %v", err)
	}
	must(t, sleep(later.EffectiveAt))
}

func claimNeedsItsBasis(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	must(t, j.CreateUser(t.Context(), agent.User{ID: "rex", Email: "rex@example.org", Role: agent.RoleReviewer, CreatedAt: clock.Now()}, "x"))
	to := decided(ask(t, j, run, clock), "rex@example.org", clock)
	to.Votes = []agent.Vote{{By: "rex@example.org", At: clock.Now()}}
	done, err := commitDecision(t.Context(), j, to)
	must(t, err)
	move := func(from agent.CallState, event agent.CallEvent, to agent.CallState) error {
		e := entry(run)
		e.Calls = []agent.CallChange{{From: from, Event: event, Call: call(run, to)}}
		if event == agent.CallClaimed {
			e.Calls[0].Call.Authority = agent.Authority{Kind: agent.AuthorityApproval, ID: done.ID}
		}
		_, err := j.Append(t.Context(), e)
		return err
	}
	must(t, move("", agent.CallAsked, agent.CallValidating))
	must(t, move(agent.CallValidating, agent.CallAllowed, agent.CallScheduled))
	revoked := *done
	revoked.RevokedAt, revoked.RevokedBy = clock.Now(), "ana@example.org"
	_, err = j.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: revoked})
	must(t, err)
	if err := move(agent.CallScheduled, agent.CallClaimed, agent.CallExecuting); !errors.Is(err, agent.ErrRevoked) {
		t.Fatalf("a call was claimed on a revoked decision: %v", err)
	}
	must(t, move(agent.CallScheduled, agent.CallHeld, agent.CallAwaiting))
}

func versionsDecide(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	a := ask(t, j, run, clock)
	vote := a
	vote.Votes = []agent.Vote{{By: "rex@example.org", At: clock.Now()}}
	_, err := j.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: vote})
	must(t, err)
	_, err = commitDecision(t.Context(), j, decided(a, "ria@example.org", clock)) // she has not seen the vote
	wantStanding(t, err, agent.ApprovalPending)
	e := entry(run)
	a.Status = agent.ApprovalCancelled
	e.Approvals = []agent.ApprovalChange{{From: agent.ApprovalPending, Approval: a}}
	_, err = j.Append(t.Context(), e) // nor has the loop
	wantCode(t, err, agent.Conflict)
}
