package store

import (
	"context"
	"fmt"
	"time"

	"fusebox/agent"
)

// Enqueue stores a person's message and the run that answers it; see agent.DeskStore.
func (s *Store) Enqueue(ctx context.Context, p agent.Prompt) (agent.Enqueued, error) {
	var done agent.Enqueued
	err := s.write.do(ctx, true, func(t *tx) error {
		var err error
		if done, err = existing(t, p); err != nil || done.Existing {
			return err
		}
		done = agent.Enqueued{MessageID: p.MessageID, RunID: p.RunID}
		return s.enqueue(t, p)
	})
	return done, err
}

// existing finds what the same client id became before.
func existing(t *tx, p agent.Prompt) (agent.Enqueued, error) {
	if p.ClientID == "" {
		return agent.Enqueued{}, nil
	}
	var done agent.Enqueued
	err := t.row(`SELECT message_id, id FROM runs WHERE conversation_id = $1 AND client_id = $2`,
		p.ConversationID, p.ClientID).Scan(&done.MessageID, &done.RunID)
	if agent.CodeOf(notFound(err, "none")) == agent.NotFound {
		return agent.Enqueued{}, nil
	}
	done.Existing = true
	return done, err
}

func (s *Store) enqueue(t *tx, p agent.Prompt) error {
	parent, err := s.parentOf(t, p)
	if err != nil {
		return err
	}
	limits, err := toJSON(p.Limits)
	if err != nil {
		return err
	}
	state, err := toJSON(agent.RunState{Outputs: p.Outputs})
	if err != nil {
		return err
	}
	now := agent.Stamp(s.clock)
	n, err := t.exec(`INSERT INTO runs (id, conversation_id, user_id, client_id, message_id, status, model, limits, state, created_at)
		VALUES ($1, $2, $3, $4, $5, 'queued', $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		p.RunID, p.ConversationID, p.UserID, p.ClientID, p.MessageID, p.Model, limits, state, ms(now))
	if err != nil {
		return err
	}
	if n == 0 {
		return agent.Errorf(agent.Conflict,
			"A run of this conversation is still active. Wait for its end, stop it, or decide what it waits for.")
	}
	m := agent.Message{
		ID: p.MessageID, ConversationID: p.ConversationID, ParentID: parent, Role: agent.FromUser,
		Content: p.Content, RunID: p.RunID, CreatedAt: now,
	}
	if err := insertMessage(t, m); err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE conversations SET title = $1 WHERE id = $2 AND title = ''`, p.Title, p.ConversationID); err != nil {
		return err
	}
	_, err = s.tell(t, p.ConversationID, []agent.Event{{RunID: p.RunID, Data: agent.MessageEvent{Message: m}}})
	return err
}

// parentOf resolves the message that p answers: a message of the same
// conversation, or its leaf.
func (s *Store) parentOf(t *tx, p agent.Prompt) (string, error) {
	var leaf string
	err := t.row(`SELECT leaf_id FROM conversations WHERE id = $1 AND owner_id = $2`, p.ConversationID, p.UserID).Scan(&leaf)
	if err != nil {
		return "", notFound(err, noConversation)
	}
	if p.ParentID == "" {
		return leaf, nil
	}
	var id string
	err = t.row(`SELECT id FROM messages WHERE id = $1 AND conversation_id = $2`, p.ParentID, p.ConversationID).Scan(&id)
	if agent.CodeOf(notFound(err, "none")) == agent.NotFound {
		return "", agent.InvalidField("parentId", "is no message of this conversation")
	}
	return id, err
}

// Decide commits a decision: first come, first served. The run it sets free is
// queued in the same transaction.
func (s *Store) Decide(ctx context.Context, a agent.Approval) (*agent.Approval, error) {
	var decided agent.Approval
	err := s.write.do(ctx, true, func(t *tx) error {
		var err error
		if decided, err = decide(t, a); err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE runs SET status = 'queued', wake_at = 0 WHERE id = $1 AND status IN ('paused', 'queued')`, decided.RunID); err != nil {
			return err
		}
		_, err = s.tell(t, decided.ConversationID, []agent.Event{{RunID: decided.RunID, Data: agent.ApprovalDecidedEvent{
			ApprovalID: decided.ID, Kind: string(decided.Kind), ToolCallID: decided.ToolCallID,
			Decision: string(decided.Decision), DecidedBy: decided.DecidedBy, Comment: decided.Comment,
		}}})
		if err != nil {
			return err
		}
		return s.auditDecision(t, decided)
	})
	if err != nil {
		return nil, err
	}
	return &decided, nil
}

// decide writes what was decided and returns the approval as it stands. What
// is not pending any more, or asks something else by now, is a Conflict with
// what stands instead.
func decide(t *tx, a agent.Approval) (agent.Approval, error) {
	n, err := t.exec(`UPDATE approvals SET status = $1, decision = $2, decided_by = $3, decided_at = $4, comment = $5,
		answer = $6, scope = $7, edited_args = $8, raise_tokens_by = $9, n = $10
		WHERE id = $11 AND status = 'pending' AND generation = $12`,
		a.Status, a.Decision, a.DecidedBy, ms(a.DecidedAt), a.Comment, a.Answer, a.Scope, string(a.EditedArgs),
		a.RaiseTokensBy, a.N, a.ID, a.Generation)
	if err != nil {
		return a, err
	}
	// Read here and not after the commit: nobody else has changed it in
	// between, and a caller who has gone away by then still has decided.
	standing, err := scanApproval(t.row(`SELECT `+approvalColumns+approvalFrom+`WHERE a.id = $1`, a.ID))
	if err != nil {
		return a, notFound(err, noApproval)
	}
	if n == 0 {
		return a, standingConflict(standing)
	}
	return standing, nil
}

func standingConflict(a agent.Approval) error {
	e := agent.Errorf(agent.Conflict, "This approval is %s; its run has gone on without it.", a.Status)
	switch a.Status {
	case agent.ApprovalDecided:
		e.Message = fmt.Sprintf("Already decided: %s by %s at %s.", a.Decision, a.DecidedBy, a.DecidedAt.Format(time.RFC3339))
	case agent.ApprovalPending:
		e.Message = "What is asked has changed since it was shown. Look at it again and decide anew."
	}
	e.Standing = &a
	return e
}

func (s *Store) auditDecision(t *tx, a agent.Approval) error {
	detail, err := toJSON(map[string]any{
		"kind": a.Kind, "decision": a.Decision, "tool": a.ToolName, "argsHash": a.ArgsHash,
		"generation": a.Generation, "scope": a.Scope, "comment": a.Comment,
	})
	if err != nil {
		return err
	}
	return insertAudit(t, agent.AuditRow{
		ID: s.newID(), At: a.DecidedAt, Actor: a.DecidedBy, Action: "approval.decide", Target: a.ID, Detail: detail,
	})
}

// RequestAbort marks a run for its end; one that is paused or waits becomes claimable, so
// that the Loop can close it properly. Idempotent, also for ended runs; the
// first one to ask is the one who is named.
func (s *Store) RequestAbort(ctx context.Context, runID, by string) error {
	return s.write.do(ctx, true, func(t *tx) error {
		n, err := t.exec(`UPDATE runs SET abort_by = $1, wake_at = 0, status = CASE WHEN status = 'paused' THEN 'queued' ELSE status END
			WHERE id = $2 AND abort_by = '' AND status IN ('queued', 'running', 'paused')`, by, runID)
		if err != nil {
			return err
		}
		if n == 0 {
			var id string
			return notFound(t.row(`SELECT id FROM runs WHERE id = $1`, runID).Scan(&id), noRun)
		}
		return insertAudit(t, agent.AuditRow{
			ID: s.newID(), At: s.clock.Now(), Actor: by, Action: "run.abort", Target: runID,
		})
	})
}
