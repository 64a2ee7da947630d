package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Alerts keeps the alerts that the bell shows, and up to when each person has seen them.
type Alerts struct{ *core }

// RaiseAlert tells people inside and outside what they have not been told yet.
func (s *Alerts) RaiseAlert(ctx context.Context, a agent.Alert) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error { return s.raiseAlert(t, a) })
}

// raiseAlert is RaiseAlert within the change that it tells of. What has become
// no one's by now is not sent to anyone.
func (c *core) raiseAlert(t *sqlite.Tx, a agent.Alert) error {
	a, to, err := recipientOf(t, a)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	inside, err := insideOf(t, a)
	if err != nil {
		return err
	}
	n, err := t.Exec(`INSERT INTO alerts (id, kind, user_id, at, message, path)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`, a.ID, a.Kind, a.UserID, sqlite.MS(a.At), inside.Message, a.Path)
	if err != nil || n == 0 {
		return err
	}
	// The webhook is the instance's own; people are told only what they may see.
	return c.postNotifications(t, []agent.Notification{a.Notification(agent.ToNobody), inside.Notification(to)})
}

// insideOf is an alert as its recipient sees it.
func insideOf(t *sqlite.Tx, a agent.Alert) (agent.Alert, error) {
	var hidden int
	err := t.Row(`SELECT COUNT(*) FROM settings WHERE key = $1 AND value = 'true'
		AND EXISTS (SELECT 1 FROM users WHERE id = $2 AND role <> 'admin')`, agent.MoneyHiddenKey, a.UserID).Scan(&hidden)
	if hidden > 0 {
		a = a.WithoutMoney()
	}
	return a, err
}

// recipientOf finds out whose an alert is and who gets an e-mail of it: the budget of
// one run or conversation is not worth one.
func recipientOf(t *sqlite.Tx, a agent.Alert) (agent.Alert, agent.Audience, error) {
	switch {
	case a.RunID != "":
		err := t.Row(`SELECT r.conversation_id, c.owner_id FROM runs r JOIN conversations c ON c.id = r.conversation_id
			WHERE r.id = $1`, a.RunID).Scan(&a.ConversationID, &a.UserID)
		return a, agent.ToNobody, err
	case a.ConversationID != "":
		err := t.Row(`SELECT owner_id FROM conversations WHERE id = $1`, a.ConversationID).Scan(&a.UserID)
		return a, agent.ToNobody, err
	case a.UserID != "":
		var email string
		err := t.Row(`SELECT email FROM users WHERE id = $1`, a.UserID).Scan(&email)
		return a, agent.Audience(email), err
	default:
		return a, agent.ToAdmins, nil
	}
}

// alertsOf selects what a viewer sees: their own alerts, and for admins the instance's.
func alertsOf(v agent.Viewer) *where {
	w := &where{}
	if v.Role == agent.RoleAdmin {
		w.And(`user_id IN (`, v.UserID, `, '')`)
	} else {
		w.And(`user_id = `, v.UserID, ``)
	}
	return w
}

// seenUntil is up to when a viewer has seen everything: what was before their
// account is not news to them.
func (s *Alerts) seenUntil(ctx context.Context, v agent.Viewer) (int64, error) {
	var seen, created int64
	err := s.db.QueryRowContext(ctx, `SELECT alerts_seen_at, created_at FROM users WHERE id = $1`, v.UserID).Scan(&seen, &created)
	return max(seen, created-1), sqlite.NotFound(err, "There is no such account.")
}

// Alerts lists the viewer's alerts, newest first.
func (s *Alerts) Alerts(ctx context.Context, v agent.Viewer, p agent.Page) ([]agent.Alert, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	seen, err := s.seenUntil(ctx, v)
	if err != nil {
		return nil, "", err
	}
	limit, w := limitOf(p), alertsOf(v)
	w.Also(w.Param(`(at, id) < (`, from.at) + w.Param(`, `, from.id) + `)`)
	items, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (a agent.Alert, err error) {
		err = r.Scan(&a.ID, &a.Kind, &a.UserID, sqlite.Time(&a.At), &a.Message, &a.Path)
		a.Seen = sqlite.MS(a.At) <= seen
		return a, err
	}, `SELECT id, kind, user_id, at, message, path FROM alerts `+w.String()+w.Param(` ORDER BY at DESC, id DESC LIMIT `, limit+1), w.Args...)
	return page(items, err, limit, func(a agent.Alert) cursor { return cursor{at: sqlite.MS(a.At), id: a.ID} })
}

// UnseenAlerts counts what is new to the viewer.
func (s *Alerts) UnseenAlerts(ctx context.Context, v agent.Viewer) (int, error) {
	seen, err := s.seenUntil(ctx, v)
	if err != nil {
		return 0, err
	}
	w := alertsOf(v)
	w.And(`at > `, seen, ``)
	var n int
	err = s.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM alerts `+w.String(), w.Args...).Scan(&n)
	return n, err
}

// SeeAlerts notes that the viewer has seen all alerts up to a time.
func (s *Alerts) SeeAlerts(ctx context.Context, v agent.Viewer, until time.Time) error {
	return s.db.Exec(ctx, false, `UPDATE users SET alerts_seen_at = $1 WHERE id = $2 AND alerts_seen_at < $1`, sqlite.MS(until), v.UserID)
}
