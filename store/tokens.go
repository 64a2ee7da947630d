package store

import (
	"context"

	"fusebox/agent"
)

// tokenDetail is what the audit log keeps of a token.
type tokenDetail struct {
	Name string `json:"name"`
	User string `json:"user"`
}

// CreateToken stores the hash of a new API token.
func (s *Users) CreateToken(ctx context.Context, token agent.Token, hash []byte) error {
	return s.audited(ctx, "", "token.create", token.ID, tokenDetail{token.Name, token.UserID}, func(t *tx) error {
		_, err := t.exec(`INSERT INTO tokens (id, user_id, name, hash, created_at) VALUES ($1, $2, $3, $4, $5)`,
			token.ID, token.UserID, token.Name, hash, ms(token.CreatedAt))
		return err
	})
}

// tokenUseGrain is how exactly the last use of a token is kept: a write per
// request would be too much.
const tokenUseGrain = 60_000

// UserByToken returns the enabled account that a token hash belongs to, and the
// token's name.
func (s *Users) UserByToken(ctx context.Context, hash []byte) (*agent.User, string, error) {
	var tokenID, name string
	var used int64
	row := s.read.QueryRowContext(ctx, `SELECT u.id, u.email, u.role, u.disabled, u.created_at, u.session_epoch, u.output_mode, u.notify, u.group_name, t.id, t.name, t.last_used_at
		FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = $1 AND NOT u.disabled`, hash)
	u, err := scanUser(beside{row, []any{&tokenID, &name, &used}})
	if err != nil {
		return nil, "", notFound(err, "This token is not valid.")
	}
	if now := ms(s.clock.Now()); now-used > tokenUseGrain {
		err = s.write.do(ctx, false, func(t *tx) error {
			_, err := t.exec(`UPDATE tokens SET last_used_at = $1 WHERE id = $2`, now, tokenID)
			return err
		})
		if err != nil { // a full disk must not keep people from reading
			s.log.Warn("the use of a token could not be noted", "token_id", tokenID, "error", err)
		}
	}
	return &u, name, nil
}

// Tokens lists an account's API tokens, newest first.
func (s *Users) Tokens(ctx context.Context, userID string) ([]agent.Token, error) {
	return list(ctx, s.read, func(r scanner) (agent.Token, error) {
		var t agent.Token
		var created, used int64
		err := r.Scan(&t.ID, &t.UserID, &t.Name, &created, &used)
		t.CreatedAt, t.LastUsedAt = fromMS(created), fromMS(used)
		return t, err
	}, `SELECT id, user_id, name, created_at, last_used_at FROM tokens WHERE user_id = $1 ORDER BY id DESC`, userID)
}

// DeleteToken removes one of the account's own tokens; NotFound for others'.
func (s *Users) DeleteToken(ctx context.Context, userID, id string) error {
	gone := tokenDetail{User: userID}
	return s.audited(ctx, "", "token.delete", id, &gone, func(t *tx) error {
		err := t.row(`DELETE FROM tokens WHERE id = $1 AND user_id = $2 RETURNING name`, id, userID).Scan(&gone.Name)
		return notFound(err, "There is no such token.")
	})
}
