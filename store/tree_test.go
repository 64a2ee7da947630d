package store_test

import (
	"errors"
	"testing"

	"fusebox/agent"
)

// child has a run hand a task to another one, which it claims.
func (q *queue) child(of agent.Run) agent.Run {
	q.t.Helper()
	q.n++
	id := of.ID + string(rune('a'+q.n))
	child := agent.Run{
		ID: id, ConversationID: of.ConversationID, UserID: of.UserID, Status: agent.StatusQueued, Model: "demo", CreatedAt: q.clock.Now(),
		Lineage: agent.Lineage{ParentRunID: of.ID, ParentCallID: id, RootRunID: of.RootID(), Depth: of.Lineage.Depth + 1},
	}
	_, err := q.Append(q.t.Context(), agent.Change{ConversationID: of.ConversationID, RunID: of.ID, Epoch: of.Epoch, Spawn: &agent.NewChild{
		Run: child, Message: agent.Message{ID: "m" + id, ConversationID: of.ConversationID, Role: agent.FromUser, Content: "task", RunID: id, CreatedAt: q.clock.Now()},
	}})
	check(q.t, err)
	q.wantClaims(id)
	return q.row(id)
}

// TestTreeHasOneBudgetCard: of two runs of a tree that find its money gone in the same
// moment, one asks. The other looks again, and waits for that card.
func TestTreeHasOneBudgetCard(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 0, "ana")
	id := q.post("ana", nil).RunID
	q.wantClaims(id)
	root := q.row(id)
	asks := func(child agent.Run, card string, with ...agent.ApprovalChange) error {
		child.Status, child.State.AwaitsCard = agent.StatusPaused, card
		_, err := q.Append(t.Context(), agent.Change{ConversationID: child.ConversationID, RunID: child.ID, ParentRunID: root.ID, Epoch: child.Epoch, Run: &child, Approvals: with})
		return err
	}
	cardOf := func(id string) agent.ApprovalChange {
		return agent.ApprovalChange{Approval: agent.Approval{
			ID: id, Kind: agent.KindBudget, Risk: agent.RiskHigh, RunID: root.ID, ConversationID: root.ConversationID, Status: agent.ApprovalPending,
			Generation: 1, Evidence: []byte(`{}`), RequestedAt: q.clock.Now(), ExpiresAt: q.clock.Now(),
		}}
	}
	east, west := q.child(root), q.child(root)
	check(t, asks(east, "first", cardOf("first")))
	if err := asks(west, "second", cardOf("second")); !errors.Is(err, agent.ErrDecided) {
		t.Fatalf("a second card: %v", err)
	}
	check(t, asks(west, "first"))
}

// TestTreeHasOneBudgetCardUntilItIsApplied: what is decided about the money of a tree is
// news to its runs only once the root has applied it.
func TestTreeHasOneBudgetCardUntilItIsApplied(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 0, "ana")
	id := q.post("ana", nil).RunID
	q.wantClaims(id)
	root := q.row(id)
	early, late, last := q.child(root), q.child(root), q.child(root)
	card := agent.Approval{
		ID: "card", Kind: agent.KindBudget, Risk: agent.RiskHigh, RunID: root.ID, ConversationID: root.ConversationID, Status: agent.ApprovalPending,
		Generation: 1, Evidence: []byte(`{}`), RequestedAt: q.clock.Now(), ExpiresAt: q.clock.Now(),
	}
	waits := func(child agent.Run, with ...agent.ApprovalChange) error {
		child.Status, child.State.AwaitsCard = agent.StatusPaused, "card"
		_, err := q.Append(t.Context(), agent.Change{ConversationID: child.ConversationID, RunID: child.ID, ParentRunID: root.ID, Epoch: child.Epoch, Run: &child, Approvals: with})
		return err
	}
	opens := func(want string) {
		t.Helper()
		if open, err := q.OpenBudgetCard(t.Context(), root.ID); err != nil || open != want {
			t.Errorf("the open card is %q, %v; want %q", open, err, want)
		}
	}
	check(t, waits(early, agent.ApprovalChange{Approval: card}))
	opens("card")
	decided := card
	decided.Status, decided.Decision, decided.DecidedAt, decided.EffectiveAt = agent.ApprovalDecided, agent.DecideApprove, q.clock.Now(), q.clock.Now()
	_, err := q.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: decided})
	check(t, err)
	opens("card")
	check(t, waits(late))
	applied := decided
	applied.Applied, applied.Version = true, 1
	_, err = q.Append(t.Context(), agent.Change{
		ConversationID: root.ConversationID, RunID: root.ID, Epoch: root.Epoch, FreesTree: true,
		Approvals: []agent.ApprovalChange{{From: agent.ApprovalDecided, Approval: applied}},
	})
	check(t, err)
	opens("")
	if err := waits(last); !errors.Is(err, agent.ErrDecided) {
		t.Errorf("a run sleeps on a card that is applied: %v", err)
	}
	for _, child := range []agent.Run{early, late} {
		if is := q.row(child.ID).Status; is != agent.StatusQueued {
			t.Errorf("a run that waited is %s", is)
		}
	}
}

// TestLimitOfAgentIsShared: runs side by side below an agent reserve within its limit together.
func TestLimitOfAgentIsShared(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 0, "ana")
	id := q.post("ana", nil).RunID
	q.wantClaims(id)
	lead := q.child(q.row(id))
	lead.Limits.Tokens = 1000
	_, err := q.Append(t.Context(), agent.Change{ConversationID: lead.ConversationID, RunID: lead.ID, ParentRunID: id, Epoch: lead.Epoch, Run: &lead})
	check(t, err)
	reserve := func(r agent.Run) (int64, error) {
		got, err := q.Reserve(t.Context(), agent.ReservationRequest{RunID: r.ID, Epoch: r.Epoch, Step: 1, Kind: agent.StepAnswer, Model: "demo", Prompt: 100, WantOutput: 5000, MinOutput: 200})
		return got.Output, err
	}
	east, west := q.child(lead), q.child(lead)
	lead = q.row(lead.ID)
	q.becomes(lead.ID, agent.StatusPaused)
	first, err := reserve(east)
	check(t, err)
	second, err := reserve(west)
	check(t, err)
	if first < 200 || second < 200 || first+second+200 > 1000 {
		t.Errorf("two runs below an agent with 1000 tokens may write %d and %d", first, second)
	}
	var short *agent.InsufficientBudget
	third := q.child(lead)
	if _, err := reserve(third); !errors.As(err, &short) || !short.Wait || short.Of != lead.ID {
		t.Errorf("a third one: %v", err)
	}
}
