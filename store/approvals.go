package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fusebox/agent"
	"fusebox/store/readable"
	"fusebox/store/sqlite"
)

// Approvals keeps what people are asked to decide, from the request to the last
// effect of the decision.
type Approvals struct{ *core }

const approvalColumns = `a.id, a.kind, a.risk, a.run_id, a.conversation_id, a.tool_call_id, a.tool_name, a.args, a.args_hash,
	a.evidence, a.message, a.options, a.status, a.generation, a.requested_at, a.expires_at, a.decision, a.decided_by,
	a.decided_at, a.comment, a.answer, a.scope, a.edited_args, a.raise_tokens_by, a.n, a.not_loop, a.applied, a.version, a.needs,
	a.votes, a.author, a.original_args, a.pattern, a.covers, a.effective_at, a.due_at, a.stage, a.escalated_to, a.revoked_at,
	a.revoked_by, a.raise_micros_by, a.budget_id, a.refill_at, a.author_note, a.agent, a.path, c.title, c.owner_id, u.email, u.name`

const approvalFrom = ` FROM approvals a JOIN conversations c ON c.id = a.conversation_id JOIN users u ON u.id = c.owner_id `

func scanApproval(r sqlite.Scanner) (a agent.Approval, err error) {
	var args, evidence, options, edited, votes, original, pattern, covers, path string
	err = r.Scan(&a.ID, &a.Kind, &a.Risk, &a.RunID, &a.ConversationID, &a.ToolCallID, &a.ToolName, &args, &a.ArgsHash,
		&evidence, &a.Message, &options, &a.Status, &a.Generation, sqlite.Time(&a.RequestedAt), sqlite.Time(&a.ExpiresAt), &a.Decision,
		&a.DecidedBy, sqlite.Time(&a.DecidedAt), &a.Comment, &a.Answer, &a.Scope, &edited, &a.RaiseTokensBy, &a.N, &a.NotLoop, &a.Applied, &a.Version, &a.Needs,
		&votes, &a.Author, &original, &pattern, &covers, sqlite.Time(&a.EffectiveAt), sqlite.Time(&a.DueAt), &a.Stage, &a.EscalatedTo,
		sqlite.Time(&a.RevokedAt), &a.RevokedBy, &a.RaiseMicrosBy, &a.BudgetID, sqlite.Time(&a.RefillAt), &a.AuthorNote, &a.Agent, &path,
		&a.ConversationTitle, &a.OwnerID, &a.OwnerEmail, &a.OwnerName)
	if err != nil {
		return a, err
	}
	a.Args, a.Evidence, a.EditedArgs, a.OriginalArgs = rawJSON(args), rawJSON(evidence), rawJSON(edited), rawJSON(original)
	err = errors.Join(fromJSON(options, &a.Options), fromJSON(votes, &a.Votes), fromJSON(pattern, &a.Pattern), fromJSON(covers, &a.Covers), fromJSON(path, &a.Path))
	return a, err
}

const noApproval = "There is no such approval."

// Approval returns one that the viewer may see.
func (s *Approvals) Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error) {
	w := seenBy(v)
	w.And(`a.id = `, id, ``)
	a, err := sqlite.One(s.db.QueryRowContext(ctx, `SELECT `+approvalColumns+approvalFrom+w.String(), w.Args...), scanApproval, noApproval)
	if err != nil {
		return nil, err
	}
	return a, readable.Approval(ctx, s.db, a)
}

// Approvals lists what the viewer may see: pending ones oldest first, others newest first.
func (s *Approvals) Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error) {
	start, order, beyond := newestFirst, `DESC`, `<`
	if f.Status == agent.ApprovalPending {
		start, order, beyond = oldestFirst, `ASC`, `>`
	}
	from, err := cursorOf(p, start)
	if err == nil {
		err = checkSearch(f.Search)
	}
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	w := seenBy(v)
	w.filter(f, v)
	w.And(`a.id `+beyond+` `, from.id, ``)
	query := `SELECT ` + approvalColumns + approvalFrom + w.String() + ` ORDER BY a.id ` + order + w.Param(` LIMIT `, limit+1)
	items, err := sqlite.List(ctx, s.db, scanApproval, query, w.Args...)
	items, next, err := page(items, err, limit, func(a agent.Approval) cursor { return cursor{id: a.ID} })
	for i := range items {
		err = errors.Join(err, readable.Approval(ctx, s.db, &items[i]))
	}
	return items, next, err
}

// PendingApprovalIDs are the run's open approvals, oldest first.
func (s *Approvals) PendingApprovalIDs(ctx context.Context, runID string) ([]string, error) {
	return sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT id FROM approvals WHERE run_id = $1 AND status = 'pending' ORDER BY id`, runID)
}

// askingRuns are the runs of the tree with the root $1 that have open approvals.
const askingRuns = `SELECT r.id FROM runs r WHERE ` + ofTree + ` AND EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = r.id AND a.status = 'pending')`

// AskingRuns are the runs of a tree that have open approvals. The caller has checked the viewer.
func (s *Approvals) AskingRuns(ctx context.Context, rootRunID string) ([]string, error) {
	return sqlite.List(ctx, s.db, sqlite.ScanString, askingRuns, rootRunID)
}

// Decisions returns the run's approvals that are decided, in effect and not applied, oldest first.
func (s *Approvals) Decisions(ctx context.Context, runID string) ([]agent.Approval, error) {
	return sqlite.List(ctx, s.db, scanApproval, `SELECT `+approvalColumns+approvalFrom+`
		WHERE a.run_id = $1 AND a.status = 'decided' AND NOT a.applied AND a.effective_at <= $2 ORDER BY a.decided_at, a.id`,
		runID, sqlite.MS(s.clock.Now()))
}

// LastAllowed is the newest decision in a conversation that let a tool run with exactly
// these arguments, nil for none.
func (s *Approvals) LastAllowed(ctx context.Context, conversationID, tool, argsHash string) (*agent.Approval, error) {
	a, err := scanApproval(s.db.QueryRowContext(ctx, `SELECT `+approvalColumns+approvalFrom+`
		WHERE a.conversation_id = $1 AND a.tool_name = $2 AND a.args_hash = $3 AND a.kind = 'tool' AND a.status = 'decided' AND a.decision = 'approve'
		ORDER BY a.decided_at DESC, a.id DESC LIMIT 1`, conversationID, tool, argsHash))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &a, err
}

// Due returns pending approvals that the scheduler has to look at, oldest first.
func (s *Approvals) Due(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error) {
	return sqlite.List(ctx, s.db, scanApproval, `SELECT `+approvalColumns+approvalFrom+`
		WHERE a.status = 'pending' AND a.due_at <= $1 ORDER BY a.due_at, a.id LIMIT $2`, sqlite.MS(now), limit)
}

// changeApproval inserts an approval or changes it by compare-and-set on its status and version.
func changeApproval(t *sqlite.Tx, change agent.ApprovalChange) error {
	if change.From == "" {
		return insertApproval(t, change.Approval)
	}
	n, err := updateApproval(t, change.Approval, change.From)
	if err == nil && n == 0 {
		err = agent.Errorf(agent.Conflict, "The approval has already been decided.")
	}
	return err
}

// texts are the columns of an approval that contain JSON.
type texts struct{ options, votes, pattern, covers, path string }

func textsOf(a agent.Approval) (x texts, err error) {
	var errs [5]error
	x.options, errs[0] = partJSON(a.Options, len(a.Options))
	x.votes, errs[1] = partJSON(a.Votes, len(a.Votes))
	x.pattern, errs[2] = partJSON(a.Pattern, len(a.Pattern))
	x.covers, errs[3] = partJSON(a.Covers, len(a.Covers))
	x.path, errs[4] = partJSON(a.Path, len(a.Path))
	return x, errors.Join(errs[:]...)
}

// updateApproval writes everything that can change: what was decided, and what
// is asked where it is asked again. The evidence of a loop does not: what is read
// of it may lack what is closed. It returns 0 where the row has moved on.
func updateApproval(t *sqlite.Tx, a agent.Approval, from agent.ApprovalStatus) (int64, error) {
	x, err := textsOf(a)
	if err != nil {
		return 0, err
	}
	return t.Exec(`UPDATE approvals SET version = version + 1, risk = $1, args = $2, args_hash = $3, evidence = CASE kind WHEN 'loop' THEN evidence ELSE $4 END, message = $5, options = $6,
		status = $7, generation = $8, requested_at = $9, expires_at = $10, decision = $11, decided_by = $12, decided_at = $13,
		comment = $14, answer = $15, scope = $16, edited_args = $17, raise_tokens_by = $18, applied = $19, n = $20, needs = $21,
		votes = $22, author = $23, original_args = $24, pattern = $25, covers = $26, effective_at = $27, due_at = $28, stage = $29,
		escalated_to = $30, revoked_at = $31, revoked_by = $32, raise_micros_by = $33, author_note = $34
		WHERE id = $35 AND version = $36 AND status = $37`,
		a.Risk, string(a.Args), a.ArgsHash, string(a.Evidence), a.Message, x.options,
		a.Status, a.Generation, sqlite.MS(a.RequestedAt), sqlite.MS(a.ExpiresAt), a.Decision, a.DecidedBy, sqlite.MS(a.DecidedAt),
		a.Comment, a.Answer, a.Scope, string(a.EditedArgs), a.RaiseTokensBy, a.Applied, a.N, a.Needs,
		x.votes, a.Author, string(a.OriginalArgs), x.pattern, x.covers, sqlite.MS(a.EffectiveAt), sqlite.MS(a.DueAt), a.Stage,
		a.EscalatedTo, sqlite.MS(a.RevokedAt), a.RevokedBy, a.RaiseMicrosBy, a.AuthorNote, a.ID, a.Version, from)
}

func insertApproval(t *sqlite.Tx, a agent.Approval) error {
	x, err := textsOf(a)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO approvals (id, kind, risk, run_id, conversation_id, tool_call_id, tool_name, args, args_hash,
		evidence, message, options, status, generation, requested_at, expires_at, needs, pattern, due_at, stage,
		budget_id, refill_at, agent, path, user_id)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
			user_id FROM runs WHERE id = $4`,
		a.ID, a.Kind, a.Risk, a.RunID, a.ConversationID, a.ToolCallID, a.ToolName, string(a.Args), a.ArgsHash,
		string(a.Evidence), a.Message, x.options, a.Status, a.Generation, sqlite.MS(a.RequestedAt), sqlite.MS(a.ExpiresAt), a.Needs,
		x.pattern, sqlite.MS(a.DueAt), a.Stage, a.BudgetID, sqlite.MS(a.RefillAt), a.Agent, x.path)
	return err
}

// PendingByKind counts the undecided approvals by kind.
func (s *Approvals) PendingByKind(ctx context.Context) ([]agent.PendingCount, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (c agent.PendingCount, err error) {
		err = r.Scan(&c.Kind, &c.Count, sqlite.Time(&c.Oldest))
		return c, err
	}, `SELECT kind, COUNT(*), MIN(requested_at) FROM approvals WHERE status = 'pending' GROUP BY kind`)
}

// PendingApprovals are all undecided approvals, oldest first.
func (s *Approvals) PendingApprovals(ctx context.Context) ([]agent.Approval, error) {
	return sqlite.List(ctx, s.db, scanApproval, `SELECT `+approvalColumns+approvalFrom+`WHERE a.status = 'pending' ORDER BY a.id`)
}

// seenBy starts with the approvals a viewer sees: those of their own conversations,
// or all of them for people who decide.
func seenBy(v agent.Viewer) *where {
	w := &where{}
	w.seenBy(v)
	return w
}

func (w *where) seenBy(v agent.Viewer) {
	if !v.Role.Reviews() {
		w.And(`a.conversation_id IN (SELECT id FROM conversations WHERE owner_id = `, v.UserID, `)`)
	}
}

// filter adds what a filter names; unread is what the viewer has not looked at.
// Pending is written out: its index covers nothing else.
func (w *where) filter(f agent.ApprovalFilter, v agent.Viewer) {
	switch f.Status {
	case "":
	case agent.ApprovalPending:
		w.Also(`a.status = 'pending'`)
	default:
		w.And(`a.status = `, f.Status, ``)
	}
	w.AndIf(f.Kind != "", `a.kind = `, f.Kind)
	w.AndIf(f.Risk != "", `a.risk = `, f.Risk)
	w.AndIf(f.RunID != "", `a.run_id = `, f.RunID)
	w.AndIf(f.Tool != "", `a.tool_name = `, f.Tool)
	w.AndIf(!f.OlderThan.IsZero(), `a.requested_at < `, sqlite.MS(f.OlderThan))
	if f.Search != "" {
		w.search(f.Search)
	}
	if f.Unread {
		w.Also(`NOT ` + w.lookedAt(v, forever))
	}
}

// search looks for a text, ignoring case, in what an approval is about. It
// is put together first: one comparison is cheaper than four.
func (w *where) search(text string) {
	w.And(`LOWER(a.tool_name || ' ' || a.args || ' ' || a.message || ' ' ||
		(SELECT t.title FROM conversations t WHERE t.id = a.conversation_id)) LIKE `, containing(text), ` ESCAPE '!'`)
}

// lookedAt is true for what a viewer has looked at since it was asked, before a time.
func (w *where) lookedAt(v agent.Viewer, before time.Time) string {
	return `EXISTS (SELECT 1 FROM approval_looks l WHERE l.approval_id = a.id AND l.user_id = ` + w.Param(``, v.UserID) +
		` AND l.first_at >= a.requested_at AND l.first_at < ` + w.Param(``, sqlite.MS(before)) + `)`
}
