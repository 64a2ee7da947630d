package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// NotePresence notes that the viewer is looking at an approval; opened stays set
// once it was. Looks at what was asked before do not count for what is asked
// now. NotFound for what they may not see. A look is advice: it need not survive
// a power loss.
func (s *Inbox) NotePresence(ctx context.Context, v agent.Viewer, approvalID string, opened bool) error {
	w := seenBy(v)
	w.and(`a.id = `, approvalID, ``)
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		var asked int64
		if err := t.Row(`SELECT a.requested_at FROM approvals a `+w.String(), w.args...).Scan(&asked); err != nil {
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
	w.and(`last_at >= `, sqlite.MS(since), ``)
	if len(ids) > 0 {
		w.among(`approval_id`, ids)
	}
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.Presence, error) {
		var l agent.Presence
		var first, last int64
		err := r.Scan(&l.ApprovalID, &l.UserID, &l.Email, &first, &last, &l.Opened)
		l.FirstAt, l.LastAt = sqlite.FromMS(first), sqlite.FromMS(last)
		return l, err
	}, `SELECT approval_id, user_id, email, first_at, last_at, opened FROM approval_looks `+w.String()+
		` ORDER BY approval_id, first_at, user_id`+w.param(` LIMIT `, maxLooks), w.args...)
}
