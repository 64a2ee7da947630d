package service

import (
	"context"

	"fusebox/agent"
	"fusebox/agent/names"
)

// SetName sets what a person wants to be called, "" for nothing. Invalid names the field.
func (s *Users) SetName(ctx context.Context, userID, text string) (name string, err error) {
	if name, err = names.Person("name", text); err != nil {
		return "", err
	}
	if err := s.Store.SetName(ctx, userID, name); err != nil {
		return "", err
	}
	s.tellLookAlikes(ctx, userID)
	return name, nil
}

// tellLookAlikes tells admins of an account that looks like others. It stands without: the
// page of accounts says it too.
func (s *Users) tellLookAlikes(ctx context.Context, userID string) {
	u, err := s.Store.UserByID(ctx, userID)
	if err == nil {
		var others []string
		if others, err = s.LookLike(ctx, *u); err == nil && len(others) > 0 {
			err = s.Store.RaiseAlert(ctx, agent.LookAlikeAlert(*u, others, s.Clock.Now()))
		}
	}
	if err != nil {
		s.Log.Error("telling of an account that looks like another failed", "user_id", userID, "error", err)
	}
}

// LookLike are the addresses of other accounts whose address or name looks like that of one.
func (s *Users) LookLike(ctx context.Context, u agent.User) ([]string, error) {
	all, err := s.Store.UserNames(ctx)
	if err != nil {
		return nil, err
	}
	return names.Of(all).Like(u), nil
}
