package store

import (
	"context"

	"fusebox/agent"
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
	return s.audited(ctx, "", "user.password", id, &change, func(t *tx) (err error) {
		change.Tokens, err = setPassword(t, id, passwordHash, keepTokens)
		return err
	})
}

// EndSessions ends an account's sessions and nothing else.
func (s *Users) EndSessions(ctx context.Context, id string) error {
	return s.audited(ctx, "", "user.sign_out", id, struct{}{}, func(t *tx) error {
		n, err := t.exec(`UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1`, id)
		if err == nil && n == 0 {
			err = agent.Errorf(agent.NotFound, "There is no such account.")
		}
		return err
	})
}

// setPassword returns how many tokens it has ended. Links to set another password
// are void.
func setPassword(t *tx, id, passwordHash string, keepTokens bool) (tokens int64, err error) {
	n, err := t.exec(`UPDATE users SET password_hash = $1, session_epoch = session_epoch + 1 WHERE id = $2`, passwordHash, id)
	if err == nil && n == 0 {
		err = agent.Errorf(agent.NotFound, "There is no such account.")
	}
	if err != nil {
		return 0, err
	}
	if _, err := t.exec(`DELETE FROM password_resets WHERE user_id = $1`, id); err != nil || keepTokens {
		return 0, err
	}
	return t.exec(`DELETE FROM tokens WHERE user_id = $1`, id)
}
