package store

import (
	"context"
	"encoding/json"
	"time"

	"fusebox/agent"
)

const approvalColumns = `a.id, a.kind, a.risk, a.run_id, a.conversation_id, a.tool_call_id, a.tool_name, a.args, a.args_hash,
	a.evidence, a.message, a.options, a.status, a.generation, a.requested_at, a.expires_at, a.decision, a.decided_by,
	a.decided_at, a.comment, a.answer, a.scope, a.edited_args, a.raise_tokens_by, a.applied, c.title, c.owner_id, u.email`

const approvalFrom = ` FROM approvals a JOIN conversations c ON c.id = a.conversation_id JOIN users u ON u.id = c.owner_id `

func scanApproval(r scanner) (agent.Approval, error) {
	var a agent.Approval
	var args, evidence, options, edited string
	var requested, expires, decided int64
	err := r.Scan(&a.ID, &a.Kind, &a.Risk, &a.RunID, &a.ConversationID, &a.ToolCallID, &a.ToolName, &args, &a.ArgsHash,
		&evidence, &a.Message, &options, &a.Status, &a.Generation, &requested, &expires, &a.Decision, &a.DecidedBy,
		&decided, &a.Comment, &a.Answer, &a.Scope, &edited, &a.RaiseTokensBy, &a.Applied,
		&a.ConversationTitle, &a.OwnerID, &a.OwnerEmail)
	if err != nil {
		return a, err
	}
	a.RequestedAt, a.ExpiresAt, a.DecidedAt = fromMS(requested), fromMS(expires), fromMS(decided)
	a.Args, a.Evidence, a.EditedArgs = rawJSON(args), rawJSON(evidence), rawJSON(edited)
	return a, fromJSON(options, &a.Options)
}

func rawJSON(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// visible is the condition under which a viewer sees an approval: his own
// conversation's, or any for those who decide.
const visible = `(c.owner_id = $1 OR $2)`

// Approval returns one that the viewer may see.
func (s *Store) Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error) {
	a, err := scanApproval(s.read.QueryRowContext(ctx,
		`SELECT `+approvalColumns+approvalFrom+`WHERE `+visible+` AND a.id = $3`, v.UserID, v.Role.Reviews(), id))
	if err != nil {
		return nil, notFound(err, "There is no such approval.")
	}
	return &a, nil
}

// Approvals lists what the viewer may see: pending ones oldest first, others newest first.
func (s *Store) Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error) {
	start, order, beyond := newestFirst, `DESC`, `<`
	if f.Status == agent.ApprovalPending {
		start, order, beyond = oldestFirst, `ASC`, `>`
	}
	from, err := cursorOf(p, start)
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	items, err := list(ctx, s, scanApproval, `SELECT `+approvalColumns+approvalFrom+`WHERE `+visible+`
		AND ($3 = '' OR a.status = $3) AND ($4 = '' OR a.kind = $4) AND ($5 = '' OR a.risk = $5) AND ($6 = '' OR a.run_id = $6)
		AND a.id `+beyond+` $7 ORDER BY a.id `+order+` LIMIT $8`,
		v.UserID, v.Role.Reviews(), f.Status, f.Kind, f.Risk, f.RunID, from.id, limit+1)
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(a agent.Approval) cursor { return cursor{id: a.ID} })
	return items, next, nil
}

// CountPending counts the pending approvals that the viewer may see.
func (s *Store) CountPending(ctx context.Context, v agent.Viewer) (int, error) {
	var n int
	err := s.read.QueryRowContext(ctx, `SELECT COUNT(*)`+approvalFrom+`WHERE `+visible+` AND a.status = 'pending'`,
		v.UserID, v.Role.Reviews()).Scan(&n)
	return n, err
}

// PendingApprovalIDs are the run's open approvals, oldest first.
func (s *Store) PendingApprovalIDs(ctx context.Context, runID string) ([]string, error) {
	return list(ctx, s, scanString, `SELECT id FROM approvals WHERE run_id = $1 AND status = 'pending' ORDER BY id`, runID)
}

// Decisions returns the run's approvals that are decided and not applied, oldest first.
func (s *Store) Decisions(ctx context.Context, runID string) ([]agent.Approval, error) {
	return list(ctx, s, scanApproval, `SELECT `+approvalColumns+approvalFrom+`
		WHERE a.run_id = $1 AND a.status = 'decided' AND NOT a.applied ORDER BY a.decided_at, a.id`, runID)
}

// Overdue returns pending approvals whose time ran out before now, oldest first.
func (s *Store) Overdue(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error) {
	return list(ctx, s, scanApproval, `SELECT `+approvalColumns+approvalFrom+`
		WHERE a.status = 'pending' AND a.expires_at < $1 ORDER BY a.expires_at, a.id LIMIT $2`, ms(now), limit)
}

// changeApproval inserts an approval or changes it by compare-and-set on its status.
func changeApproval(t *tx, change agent.ApprovalChange) error {
	a := change.Approval
	if change.From == "" {
		return insertApproval(t, a)
	}
	n, err := t.exec(`UPDATE approvals SET status = $1, decision = $2, decided_by = $3, decided_at = $4, comment = $5,
		answer = $6, scope = $7, edited_args = $8, raise_tokens_by = $9, applied = $10 WHERE id = $11 AND status = $12`,
		a.Status, a.Decision, a.DecidedBy, ms(a.DecidedAt), a.Comment, a.Answer, a.Scope, string(a.EditedArgs),
		a.RaiseTokensBy, a.Applied, a.ID, change.From)
	if err == nil && n == 0 {
		err = agent.Errorf(agent.Conflict, "The approval has been decided already.")
	}
	return err
}

func insertApproval(t *tx, a agent.Approval) error {
	options := ""
	if len(a.Options) > 0 {
		var err error
		if options, err = toJSON(a.Options); err != nil {
			return err
		}
	}
	_, err := t.exec(`INSERT INTO approvals (id, kind, risk, run_id, conversation_id, tool_call_id, tool_name, args, args_hash,
		evidence, message, options, status, generation, requested_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		a.ID, a.Kind, a.Risk, a.RunID, a.ConversationID, a.ToolCallID, a.ToolName, string(a.Args), a.ArgsHash,
		string(a.Evidence), a.Message, options, a.Status, a.Generation, ms(a.RequestedAt), ms(a.ExpiresAt))
	return err
}
