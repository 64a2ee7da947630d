package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// ReviewerStats reads how each reviewer has decided.
type ReviewerStats struct{ *core }

// reviewedApproval is an approval that was decided, with the votes that led there.
type reviewedApproval struct {
	id, by       string
	decision     agent.Verb
	asked, at    time.Time
	call, failed bool
	votes        []agent.Vote
}

// ReviewerDecisions reads what people decided in a span of time, from included,
// to not; an approval that took several votes is a decision of each voter. Approvals
// of deleted conversations are gone with them.
func (s *ReviewerStats) ReviewerDecisions(ctx context.Context, from, to time.Time) ([]agent.ReviewerDecision, error) {
	cards, err := sqlite.List(ctx, s.db, scanReviewedApproval, `SELECT a.id, a.decided_by, a.decision, a.requested_at, a.decided_at, a.tool_call_id <> '', a.votes,
		EXISTS (SELECT 1 FROM tool_calls c WHERE c.run_id = a.run_id AND c.id = a.tool_call_id AND c.state = 'error' AND c.rule = 'approval:' || a.id)
		FROM approvals a WHERE `+decidedBetween+` ORDER BY a.decided_at, a.id`, sqlite.MS(from), sqlite.MS(to))
	if err != nil {
		return nil, err
	}
	opened, err := s.openedBy(ctx, from, to)
	if err != nil {
		return nil, err
	}
	var out []agent.ReviewerDecision
	for _, c := range cards {
		for _, v := range c.voters() {
			d := agent.ReviewerDecision{
				By: v.By, Decision: agent.DecideApprove, RequestedAt: c.asked, DecidedAt: v.At,
				Call: c.call, Opened: opened[look{c.id, v.By}], Failed: c.failed,
			}
			if v.By == c.by {
				d.Decision = c.decision
			}
			out = append(out, d)
		}
	}
	return out, nil
}

// decidedBetween is written so that the index of decided approvals serves it. Nobody has
// voted on what was closed by a decision on another approval.
const decidedBetween = `a.status = 'decided' AND a.decided_at >= $1 AND a.decided_at < $2 AND a.decided_by NOT IN ('', 'system')
	AND NOT (a.kind = 'tool' AND a.decision = 'approve' AND a.votes IN ('', 'null', '[]'))`

func scanReviewedApproval(r sqlite.Scanner) (c reviewedApproval, err error) {
	var votes string
	err = r.Scan(&c.id, &c.by, &c.decision, sqlite.Time(&c.asked), sqlite.Time(&c.at), &c.call, &votes, &c.failed)
	err = cmp.Or(err, fromJSON(votes, &c.votes))
	return c, err
}

// voters are the people who approved an approval, and the one who decided it if that was different.
func (c reviewedApproval) voters() []agent.Vote {
	if slices.ContainsFunc(c.votes, func(v agent.Vote) bool { return v.By == c.by }) {
		return c.votes
	}
	return append(slices.Clip(c.votes), agent.Vote{By: c.by, At: c.at})
}

// look is a person's look at an approval.
type look struct{ approval, email string }

// openedBy returns who opened the arguments of which approval, of those that were
// decided in a span of time.
func (s *ReviewerStats) openedBy(ctx context.Context, from, to time.Time) (map[look]bool, error) {
	opened := map[look]bool{}
	err := sqlite.Each(ctx, s.db, func(r sqlite.Scanner) error {
		var l look
		err := r.Scan(&l.approval, &l.email)
		opened[l] = true
		return err
	}, `SELECT a.id, u.email FROM approvals a JOIN approval_looks l ON l.approval_id = a.id JOIN users u ON u.id = l.user_id
		WHERE `+decidedBetween+` AND l.opened`, sqlite.MS(from), sqlite.MS(to))
	return opened, err
}

// ReviewerUndone counts, by person who had decided, the decisions that were undone in
// a span of time.
func (s *ReviewerStats) ReviewerUndone(ctx context.Context, from, to time.Time) (map[string]int, error) {
	undone := map[string]int{}
	err := sqlite.Each(ctx, s.db, func(r sqlite.Scanner) error {
		var who string
		err := r.Scan(&who)
		undone[who]++
		return err
	}, `SELECT COALESCE((SELECT d.actor FROM audit d WHERE d.target = u.target AND d.seq < u.seq AND d.action = 'approval.decide'
			ORDER BY d.seq DESC LIMIT 1), u.actor)
		FROM audit u WHERE u.action = 'approval.undo' AND u.at >= $1 AND u.at < $2`, sqlite.MS(from), sqlite.MS(to))
	return undone, err
}

// NotePresence notes that the viewer is looking at an approval; opened stays set
// once it was. Looks at what was asked before do not count for what is asked
// now. NotFound for what they may not see. A look is advice: it need not survive
// a power loss.
func (s *Inbox) NotePresence(ctx context.Context, v agent.Viewer, approvalID string, opened bool) error {
	w := seenBy(v)
	w.And(`a.id = `, approvalID, ``)
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		var asked int64
		if err := t.Row(`SELECT a.requested_at FROM approvals a `+w.String(), w.Args...).Scan(&asked); err != nil {
			return sqlite.NotFound(err, noApproval)
		}
		now, first := sqlite.MS(s.clock.Now()), int64(0)
		err := t.Row(`SELECT first_at FROM approval_looks WHERE approval_id = $1 AND user_id = $2`, approvalID, v.UserID).Scan(&first)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if first >= asked && err == nil {
			_, err = t.Exec(`UPDATE approval_looks SET last_at = $1, opened = opened OR $2 WHERE approval_id = $3 AND user_id = $4`,
				now, opened, approvalID, v.UserID)
			return err
		}
		_, err = t.Exec(`INSERT INTO approval_looks (approval_id, user_id, email, first_at, last_at, opened)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (approval_id, user_id) DO UPDATE
			SET first_at = excluded.first_at, last_at = excluded.last_at, opened = excluded.opened`,
			approvalID, v.UserID, v.Email, now, now, opened)
		return err
	})
}

// maxLooks bounds how many looks one question returns.
const maxLooks = 500

// Presences returns who has looked at approvals since a time, by approval, the
// first to look first; no ids means all. The caller has checked the viewer.
func (s *Inbox) Presences(ctx context.Context, ids []string, since time.Time) ([]agent.Presence, error) {
	w := &where{}
	w.And(`last_at >= `, sqlite.MS(since), ``)
	if len(ids) > 0 {
		w.Among(`approval_id`, ids)
	}
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (l agent.Presence, err error) {
		err = r.Scan(&l.ApprovalID, &l.UserID, &l.Email, sqlite.Time(&l.FirstAt), sqlite.Time(&l.LastAt), &l.Opened)
		return l, err
	}, `SELECT approval_id, user_id, email, first_at, last_at, opened FROM approval_looks `+w.String()+
		` ORDER BY approval_id, first_at, user_id`+w.Param(` LIMIT `, maxLooks), w.Args...)
}
