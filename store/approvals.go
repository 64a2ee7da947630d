package store

import (
	"context"
	"encoding/json"
	"time"

	"fusebox/agent"
)

const approvalColumns = `a.id, a.kind, a.risk, a.run_id, a.conversation_id, a.tool_call_id, a.tool_name, a.args, a.args_hash,
	a.evidence, a.message, a.options, a.status, a.generation, a.requested_at, a.expires_at, a.decision, a.decided_by,
	a.decided_at, a.comment, a.answer, a.scope, a.edited_args, a.raise_tokens_by, a.n, a.not_loop, a.applied, c.title, c.owner_id, u.email`

const approvalFrom = ` FROM approvals a JOIN conversations c ON c.id = a.conversation_id JOIN users u ON u.id = c.owner_id `

func scanApproval(r scanner) (agent.Approval, error) {
	var a agent.Approval
	var args, evidence, options, edited string
	var requested, expires, decided int64
	err := r.Scan(&a.ID, &a.Kind, &a.Risk, &a.RunID, &a.ConversationID, &a.ToolCallID, &a.ToolName, &args, &a.ArgsHash,
		&evidence, &a.Message, &options, &a.Status, &a.Generation, &requested, &expires, &a.Decision, &a.DecidedBy,
		&decided, &a.Comment, &a.Answer, &a.Scope, &edited, &a.RaiseTokensBy, &a.N, &a.NotLoop, &a.Applied,
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

const noApproval = "There is no such approval."

// Approval returns one that the viewer may see.
func (s *Store) Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error) {
	w := seenBy(v)
	w.and(`a.id = `, id, ``)
	a, err := scanApproval(s.read.QueryRowContext(ctx, `SELECT `+approvalColumns+approvalFrom+w.String(), w.args...))
	if err != nil {
		return nil, notFound(err, noApproval)
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
	w := seenBy(v)
	w.filter(f)
	w.and(`a.id `+beyond+` `, from.id, ``)
	query := `SELECT ` + approvalColumns + approvalFrom + w.String() + ` ORDER BY a.id ` + order + w.param(` LIMIT `, limit+1)
	items, err := list(ctx, s, scanApproval, query, w.args...)
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(a agent.Approval) cursor { return cursor{id: a.ID} })
	return items, next, nil
}

// CountPending counts the pending approvals that the viewer may see.
func (s *Store) CountPending(ctx context.Context, v agent.Viewer) (int, error) {
	w := seenBy(v)
	w.filter(agent.ApprovalFilter{Status: agent.ApprovalPending})
	var n int
	err := s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM approvals a `+w.String(), w.args...).Scan(&n)
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
	options := ""
	if len(change.Approval.Options) > 0 {
		var err error
		if options, err = toJSON(change.Approval.Options); err != nil {
			return err
		}
	}
	if change.From == "" {
		return insertApproval(t, change.Approval, options)
	}
	return updateApproval(t, change.From, change.Approval, options)
}

// updateApproval writes everything that can change: what was decided, and
// what is asked where it is asked anew.
func updateApproval(t *tx, from agent.ApprovalStatus, a agent.Approval, options string) error {
	n, err := t.exec(`UPDATE approvals SET risk = $1, args = $2, args_hash = $3, evidence = $4, message = $5, options = $6,
		status = $7, generation = $8, requested_at = $9, expires_at = $10, decision = $11, decided_by = $12, decided_at = $13,
		comment = $14, answer = $15, scope = $16, edited_args = $17, raise_tokens_by = $18, applied = $19
		WHERE id = $20 AND status = $21`,
		a.Risk, string(a.Args), a.ArgsHash, string(a.Evidence), a.Message, options,
		a.Status, a.Generation, ms(a.RequestedAt), ms(a.ExpiresAt), a.Decision, a.DecidedBy, ms(a.DecidedAt),
		a.Comment, a.Answer, a.Scope, string(a.EditedArgs), a.RaiseTokensBy, a.Applied, a.ID, from)
	if err == nil && n == 0 {
		err = agent.Errorf(agent.Conflict, "The approval has been decided already.")
	}
	return err
}

func insertApproval(t *tx, a agent.Approval, options string) error {
	_, err := t.exec(`INSERT INTO approvals (id, kind, risk, run_id, conversation_id, tool_call_id, tool_name, args, args_hash,
		evidence, message, options, status, generation, requested_at, expires_at, decision, decided_by, decided_at,
		comment, answer, scope, edited_args, raise_tokens_by, applied)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)`,
		a.ID, a.Kind, a.Risk, a.RunID, a.ConversationID, a.ToolCallID, a.ToolName, string(a.Args), a.ArgsHash,
		string(a.Evidence), a.Message, options, a.Status, a.Generation, ms(a.RequestedAt), ms(a.ExpiresAt), a.Decision,
		a.DecidedBy, ms(a.DecidedAt), a.Comment, a.Answer, a.Scope, string(a.EditedArgs), a.RaiseTokensBy, a.Applied)
	return err
}
