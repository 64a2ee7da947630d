package service

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"

	"fusebox/agent"
	"fusebox/agent/names"
)

// Users are the commands about accounts.
type Users struct {
	Store Store
	// OnChange is called after an account's rights have changed; nil does nothing.
	OnChange func(userID string)
	// Conversations deletes those of a person who is removed.
	Conversations *Conversations
	// Documents removes the files of theirs.
	Documents *Documents
	Clock     agent.Clock
	NewID     agent.NewID
	Log       *slog.Logger
}

// NewUser are the fields of an account that is made.
type NewUser struct {
	Email, Password string
	Role            agent.Role
	Group           string
}

// Create adds an account. Invalid names the fields, Conflict says that the
// e-mail address is taken.
func (s *Users) Create(ctx context.Context, in NewUser) (agent.User, error) {
	u, err := s.make(in)
	if err != nil {
		return u, err
	}
	if err := s.Store.CreateUser(ctx, u, HashPassword(in.Password)); err != nil {
		return u, err
	}
	s.tellLookAlikes(ctx, u.ID)
	return u, nil
}

// Invite adds an account without a password, with a link to set the first one. Errors are
// those of Create.
func (s *Users) Invite(ctx context.Context, in NewUser) (ResetLink, error) {
	in.Password = rand.Text() // the invited person replaces it; only its hash is stored
	u, err := s.Create(ctx, in)
	if err != nil {
		return ResetLink{}, err
	}
	return s.NewReset(ctx, u.ID)
}

// CreateFirst makes the first account, an admin, on its own behalf. Conflict
// where there is an account already.
func (s *Users) CreateFirst(ctx context.Context, email, password, place string) (agent.User, error) {
	u, err := s.make(NewUser{Email: email, Password: password, Role: agent.RoleAdmin})
	if err != nil {
		return u, err
	}
	v := u.Viewer()
	v.Place = place
	return u, s.Store.CreateFirstUser(agent.WithViewer(ctx, v), u, HashPassword(password))
}

// make checks the fields and makes the account of them.
func (s *Users) make(in NewUser) (agent.User, error) {
	email, err := CheckAccount(in.Email, in.Password)
	u := agent.User{Email: email, Role: in.Role}
	if err == nil && !in.Role.Valid() {
		err = agent.InvalidField("role", "must be user, reviewer or admin")
	}
	group, groupErr := agent.GroupName("group", in.Group)
	if err == nil {
		err = groupErr
	}
	u.ID, u.Group, u.CreatedAt = s.NewID(), group, s.Clock.Now()
	return u, err
}

// Change changes an account. Conflict where no enabled admin would be left;
// before is the account as it was, also where nothing was changed.
func (s *Users) Change(ctx context.Context, id string, p agent.UserPatch) (before, after *agent.User, err error) {
	if before, err = s.Store.UserByID(ctx, id); err != nil {
		return nil, nil, err
	}
	if p.Role != nil && !p.Role.Valid() {
		return before, nil, agent.InvalidField("role", "must be user, reviewer or admin")
	}
	if p.Group != nil {
		group, err := agent.GroupName("group", *p.Group)
		if err != nil {
			return before, nil, err
		}
		p.Group = &group
	}
	if err = s.Store.PatchUser(ctx, id, p); err != nil {
		return before, nil, err
	}
	if after, err = s.Store.UserByID(ctx, id); err != nil {
		return before, nil, err
	}
	if after.Role != before.Role || after.Disabled != before.Disabled {
		s.changed(id)
	}
	return before, after, nil
}

// Attempt is one to sign in. Known says that it comes from a browser with which the
// account has signed in before.
type Attempt struct {
	Email, Password string
	Known           bool
}

// Login returns the account that a password opens, nil if there is none, and ErrBusy
// where too many others sign in.
func (s *Users) Login(ctx context.Context, in Attempt) (*agent.User, error) {
	u, hash, err := s.Store.UserByEmail(ctx, in.Email)
	if err != nil && agent.CodeOf(err) != agent.NotFound {
		return nil, err
	}
	// An unknown account has no hash, which takes as long to compare with.
	fits, err := PasswordFits(ctx, in.Password, hash, in.Known)
	if err != nil || !fits || u == nil || u.Disabled {
		return nil, err
	}
	return u, nil
}

// CheckAccount checks an e-mail address and a password against what an account
// needs, and returns the address in lower case and
// without other forms of common characters. The error names both fields.
func CheckAccount(email, password string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(names.Plain(email)))
	both := &agent.Error{Code: agent.Invalid, Message: "The account is incomplete."}
	for _, err := range []error{CheckEmail(email), CheckPassword(password)} {
		var e *agent.Error
		if errors.As(err, &e) {
			both.Fields = append(both.Fields, e.Fields...)
		}
	}
	if len(both.Fields) > 0 {
		return email, both
	}
	return email, nil
}

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
