package service

import (
	"context"
	"time"
)

// SetPassword replaces an account's password. It ends the account's sessions, and takes
// its API tokens away unless they are to be kept: who knew the old password may have
// made some. Invalid names the field.
func (s *Users) SetPassword(ctx context.Context, id, password string, keepTokens bool) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	if err := s.Store.SetPassword(ctx, id, HashPassword(password), keepTokens); err != nil {
		return err
	}
	s.changed(id)
	return nil
}

// EndSessions signs an account out in every browser. Its API tokens stay.
func (s *Users) EndSessions(ctx context.Context, id string) error {
	if err := s.Store.EndSessions(ctx, id); err != nil {
		return err
	}
	s.changed(id)
	return nil
}

// now is the time as it is stored.
func (s *Users) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Millisecond) }

// changed tells that an account's rights have changed.
func (s *Users) changed(id string) {
	if s.OnChange != nil {
		s.OnChange(id)
	}
}
