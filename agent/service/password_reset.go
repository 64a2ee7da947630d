package service

import (
	"context"
	"crypto/rand"
	"time"

	"fusebox/agent"
)

// resetLife is how long a link to set a new password works.
const resetLife = 24 * time.Hour

// ResetLink is what an admin hands to a person who has lost their password. Its secret
// is stored only as a hash.
type ResetLink struct {
	User    agent.User
	Secret  string
	Expires time.Time
}

// NewReset makes a link with which an account can set a new password, once. Links made
// before do not work any more. Conflict for a disabled account.
func (s *Users) NewReset(ctx context.Context, userID string) (ResetLink, error) {
	u, err := s.Store.UserByID(ctx, userID)
	if err != nil {
		return ResetLink{}, err
	}
	link := ResetLink{User: *u, Secret: rand.Text(), Expires: s.now().Add(resetLife)}
	return link, s.Store.CreateReset(ctx, userID, TokenHash(link.Secret), link.Expires)
}

// ResetFor returns the account that a link is for. NotFound where it does not work any
// more.
func (s *Users) ResetFor(ctx context.Context, secret string) (*agent.User, error) {
	return s.Store.UserByReset(ctx, TokenHash(secret))
}

// ResetPassword is SetPassword for the person who has the link, on their own behalf.
// NotFound where it does not work any more, Invalid names the field.
func (s *Users) ResetPassword(ctx context.Context, secret, password, place string, keepTokens bool) error {
	u, err := s.ResetFor(ctx, secret)
	if err != nil {
		return err
	}
	if err := CheckPassword(password); err != nil {
		return err
	}
	v := u.Viewer()
	v.Place = place
	if err := s.Store.UseReset(agent.WithViewer(ctx, v), u.ID, TokenHash(secret), HashPassword(password), keepTokens); err != nil {
		return err
	}
	s.changed(u.ID)
	return nil
}
