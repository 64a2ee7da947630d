package store

import (
	"context"
	"strings"
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
		return t.ExecOr(agent.Errorf(agent.NotFound, "There is no such account."),
			`UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1`, id)
	})
}

// setPassword returns how many tokens it has ended. Links to set another password
// are void.
func setPassword(t *sqlite.Tx, id, passwordHash string, keepTokens bool) (tokens int64, err error) {
	if err := t.ExecOr(agent.Errorf(agent.NotFound, "There is no such account."),
		`UPDATE users SET password_hash = $1, session_epoch = session_epoch + 1 WHERE id = $2`, passwordHash, id); err != nil {
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
	return sqlite.One(s.db.QueryRowContext(ctx, `SELECT `+userColumns+resetInForce, hash, sqlite.MS(s.clock.Now())), scanUser, noReset)
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

// tokenDetail is what the audit log keeps of a token.
type tokenDetail struct {
	Name    string            `json:"name"`
	User    string            `json:"user"`
	Scopes  agent.TokenScopes `json:"scopes,omitempty"`
	Expires string            `json:"expiresAt,omitempty"`
}

const tokenColumns = `t.id, t.user_id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at`

// tokenRow is a token as it is stored.
type tokenRow struct {
	agent.Token
	scopes string
}

func (r *tokenRow) fields() []any {
	return []any{&r.ID, &r.UserID, &r.Name, &r.scopes, sqlite.Time(&r.CreatedAt), sqlite.Time(&r.ExpiresAt), sqlite.Time(&r.LastUsedAt)}
}

func (r *tokenRow) token() agent.Token {
	t := r.Token
	for _, s := range strings.Fields(r.scopes) {
		t.Scopes = append(t.Scopes, agent.TokenScope(s))
	}
	return t
}

func scanToken(r sqlite.Scanner) (agent.Token, error) {
	var row tokenRow
	err := r.Scan(row.fields()...)
	return row.token(), err
}

// CreateToken stores the hash of a new API token.
func (s *Users) CreateToken(ctx context.Context, token agent.Token, hash []byte) error {
	detail := tokenDetail{Name: token.Name, User: token.UserID, Scopes: token.Scopes}
	if !token.ExpiresAt.IsZero() {
		detail.Expires = token.ExpiresAt.UTC().Format(agent.TimeFormat)
	}
	scopes := strings.ReplaceAll(token.Scopes.String(), ",", "")
	return s.audited(ctx, "", "token.create", token.ID, detail, func(t *sqlite.Tx) error {
		_, err := t.Exec(`INSERT INTO tokens (id, user_id, name, hash, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			token.ID, token.UserID, token.Name, hash, scopes, sqlite.MS(token.CreatedAt), sqlite.MS(token.ExpiresAt))
		return err
	})
}

// UserByToken returns the enabled account that a token hash belongs to, and the
// token. NotFound for one that has expired, too.
func (s *Users) UserByToken(ctx context.Context, hash []byte) (*agent.User, *agent.Token, error) {
	now := s.clock.Now()
	var row tokenRow
	found := s.db.QueryRowContext(ctx, `SELECT `+userColumns+`, `+tokenColumns+` FROM tokens t JOIN users u ON u.id = t.user_id
		WHERE t.hash = $1 AND NOT u.disabled AND (t.expires_at = 0 OR t.expires_at > $2)`, hash, sqlite.MS(now))
	u, err := scanUser(beside{found, row.fields()})
	if err != nil {
		return nil, nil, sqlite.NotFound(err, "This token is not valid.")
	}
	t := row.token()
	s.noteTokenUse(ctx, t, now)
	return &u, &t, nil
}

// Tokens lists an account's API tokens, newest first.
func (s *Users) Tokens(ctx context.Context, userID string) ([]agent.Token, error) {
	return sqlite.List(ctx, s.db, scanToken, `SELECT `+tokenColumns+` FROM tokens t WHERE t.user_id = $1 ORDER BY t.id DESC`, userID)
}

// DeleteToken removes one of the account's own tokens; NotFound for others'.
func (s *Users) DeleteToken(ctx context.Context, userID, id string) error {
	gone := tokenDetail{User: userID}
	return s.audited(ctx, "", "token.delete", id, &gone, func(t *sqlite.Tx) error {
		err := t.Row(`DELETE FROM tokens WHERE id = $1 AND user_id = $2 RETURNING name`, id, userID).Scan(&gone.Name)
		return sqlite.NotFound(err, "There is no such token.")
	})
}

// noteTokenUse writes down that a token is used, at most once an hour.
func (s *Users) noteTokenUse(ctx context.Context, t agent.Token, now time.Time) {
	if now.Sub(t.LastUsedAt) < tokenUseGrain || !s.uses.first(t.ID, now) {
		return
	}
	err := s.db.Exec(ctx, false, `UPDATE tokens SET last_used_at = $1 WHERE id = $2`, sqlite.MS(now), t.ID)
	if err != nil { // a full disk must not keep people from reading
		s.log.Warn("the use of a token could not be noted", "token_id", t.ID, "error", err)
	}
}
