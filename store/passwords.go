package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// newPassword is what the audit log keeps of one.
type newPassword struct {
	ByLink bool  `json:"byLink,omitempty"`
	Tokens int64 `json:"tokensEnded,omitempty"`
}

// SetPassword replaces an account's password hash and ends its sessions; its API
// tokens too, unless they are kept.
func (s *Users) SetPassword(ctx context.Context, id, passwordHash string, keepTokens bool) error {
	var change newPassword
	return s.audited(ctx, "", "user.password", id, &change, func(t *sqlite.Tx) (err error) {
		change.Tokens, err = setPassword(t, id, passwordHash, keepTokens)
		return err
	})
}

// EndSessions ends an account's sessions and nothing else.
func (s *Users) EndSessions(ctx context.Context, id string) error {
	return s.audited(ctx, "", "user.sign_out", id, struct{}{}, func(t *sqlite.Tx) error {
		n, err := t.Exec(`UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1`, id)
		if err == nil && n == 0 {
			err = agent.Errorf(agent.NotFound, "There is no such account.")
		}
		return err
	})
}

// setPassword returns how many tokens it has ended. Links to set another password
// are void.
func setPassword(t *sqlite.Tx, id, passwordHash string, keepTokens bool) (tokens int64, err error) {
	n, err := t.Exec(`UPDATE users SET password_hash = $1, session_epoch = session_epoch + 1 WHERE id = $2`, passwordHash, id)
	if err == nil && n == 0 {
		err = agent.Errorf(agent.NotFound, "There is no such account.")
	}
	if err != nil {
		return 0, err
	}
	if _, err := t.Exec(`DELETE FROM password_resets WHERE user_id = $1`, id); err != nil || keepTokens {
		return 0, err
	}
	return t.Exec(`DELETE FROM tokens WHERE user_id = $1`, id)
}

// noReset is said of every link that sets no password, so that nobody learns which of
// them did once.
const noReset = "This link doesn't work anymore. It was used, has expired, or was replaced. Ask an admin for a new one."

// CreateReset stores the hash of a link with which an account can set a new password,
// in the place of the one before. Conflict for a disabled account.
func (s *Users) CreateReset(ctx context.Context, userID string, hash []byte, expires time.Time) error {
	detail := struct {
		Expires string `json:"expiresAt"`
	}{expires.UTC().Format(agent.TimeFormat)}
	return s.audited(ctx, "", "user.reset", userID, detail, func(t *sqlite.Tx) error {
		var disabled bool
		if err := t.Row(`SELECT disabled FROM users WHERE id = $1`, userID).Scan(&disabled); err != nil {
			return sqlite.NotFound(err, "There is no such account.")
		}
		if disabled {
			return agent.Errorf(agent.Conflict, "This account is disabled. Enable it first.")
		}
		_, err := t.Exec(`INSERT INTO password_resets (user_id, hash, expires_at) VALUES ($1, $2, $3)
			ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`, userID, hash, sqlite.MS(expires))
		return err
	})
}

const resetInForce = ` FROM password_resets r JOIN users u ON u.id = r.user_id WHERE r.hash = $1 AND r.expires_at > $2 AND NOT u.disabled`

// UserByReset returns the enabled account that can set a new password with a link;
// NotFound for a link that was used, has expired, or was replaced.
func (s *Users) UserByReset(ctx context.Context, hash []byte) (*agent.User, error) {
	u, err := scanUser(s.db.QueryRowContext(ctx, `SELECT `+userColumns+resetInForce, hash, sqlite.MS(s.clock.Now())))
	if err != nil {
		return nil, sqlite.NotFound(err, noReset)
	}
	return &u, nil
}

// UseReset is SetPassword for who has the link, once. NotFound as UserByReset.
func (s *Users) UseReset(ctx context.Context, userID string, hash []byte, passwordHash string, keepTokens bool) error {
	change := newPassword{ByLink: true}
	return s.audited(ctx, "", "user.password", userID, &change, func(t *sqlite.Tx) error {
		var id string
		if err := t.Row(`SELECT u.id`+resetInForce, hash, sqlite.MS(t.Clock.Now())).Scan(&id); err != nil {
			return sqlite.NotFound(err, noReset)
		}
		var err error
		change.Tokens, err = setPassword(t, id, passwordHash, keepTokens)
		return err
	})
}
