package service

import (
	"context"
	"crypto/rand"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"

	"fusebox/agent"
)

// MinPassword and MaxPassword bound the length of passwords, in bytes.
const (
	MinPassword = 10
	MaxPassword = 1000
)

// hashParams do the work of the second recommendation of RFC 9106, for machines that
// cannot spend 2 GiB on a login, in half the memory (in KiB) and twice the passes. OWASP
// asks for 19 MiB and 2 passes at least.
var hashParams = argon2id.Params{Memory: 32 << 10, Iterations: 6, Parallelism: 4, SaltLength: 16, KeyLength: 32}

// maxHashing bounds how many hashes are computed at once: each takes 32 MiB, or what an
// older hash says. maxWaiting bounds how many sign-ins wait for that: a crowd is told
// at once to come back, rather than after its browsers have given up. People who are
// known have more places, so that a crowd of strangers does not take theirs.
const (
	maxHashing      = 4
	maxWaiting      = 8
	maxKnownWaiting = 64
)

var (
	hashing = make(chan struct{}, maxHashing)
	inside  atomic.Int32 // who hashes or waits to
)

// ErrBusy refuses a sign-in because too many others are waiting.
var ErrBusy = &agent.Error{Code: agent.Unavailable, Message: "Many people are signing in at the moment. Try again in a few seconds."}

// HashPassword returns the argon2id hash of a password in the usual encoded form.
func HashPassword(password string) string {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	defer collectSoon(hashParams)
	hash, _ := argon2id.CreateHash(password, &hashParams) // randomness ends the program rather than fail
	return hash
}

// enter waits for a place to hash in. ErrBusy where there are too many who do.
func enter(ctx context.Context, places int32) (leave func(), err error) {
	if inside.Add(1) > maxHashing+places {
		inside.Add(-1)
		return nil, ErrBusy
	}
	select {
	case hashing <- struct{}{}:
		return func() { <-hashing; inside.Add(-1) }, nil
	case <-ctx.Done():
		inside.Add(-1)
		return nil, context.Cause(ctx)
	}
}

// collectAfter is how long what hashes needed may stay: it counts as live until the next
// collection, and lets the heap grow the further. One collection is enough for all sign-ins
// of that time; in a crowd, the growth of the heap brings about others.
const collectAfter = time.Second

var collecting atomic.Bool

// collectSoon gives back what a hash needed, unless that was little or is due already.
func collectSoon(made argon2id.Params) {
	if made.Memory >= hashParams.Memory/2 && collecting.CompareAndSwap(false, true) {
		time.AfterFunc(collectAfter, func() {
			collecting.Store(false)
			runtime.GC()
		})
	}
}

// PasswordFits compares a password with a hash. An unreadable hash fits
// nothing, after the same work: an attacker learns nothing from the time. ErrBusy
// where too many wait for the same; those who are known have places that strangers
// do not have.
func PasswordFits(ctx context.Context, password, hash string, known bool) (bool, error) {
	places := int32(maxWaiting)
	if known {
		places = maxKnownWaiting
	}
	leave, err := enter(ctx, places)
	if err != nil {
		return false, err
	}
	defer leave()
	made, _, _, err := argon2id.DecodeHash(hash)
	// None, unreadable, cut off, or of no work at all, with which argon2 panics.
	if err != nil || made.KeyLength != hashParams.KeyLength || made.Iterations == 0 || made.Parallelism == 0 {
		defer collectSoon(hashParams)
		_, _ = argon2id.CreateHash(password, &hashParams)
		return false, nil
	}
	defer collectSoon(*made)
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	return err == nil && match, nil
}

// CheckPassword says what is wrong with a new password, if anything.
func CheckPassword(password string) error {
	switch {
	case len(password) < MinPassword:
		return agent.InvalidField("password", "is too short; use at least %d characters", MinPassword)
	case len(password) > MaxPassword:
		return agent.InvalidField("password", "is too long; use at most %d bytes", MaxPassword)
	}
	return nil
}

// CheckEmail says what is wrong with an e-mail address, if anything. Whether
// it exists is unknown until something is sent to it.
func CheckEmail(email string) error {
	name, domain, ok := strings.Cut(email, "@")
	if !ok || name == "" || domain == "" || len(email) > 254 || strings.Contains(domain, "@") || strings.ContainsAny(email, " \t\r\n<>\"") {
		return agent.InvalidField("email", "is not an e-mail address; use one like ana@example.org")
	}
	return nil
}

// SetPassword replaces an account's password. It ends the account's sessions, and takes
// its API tokens away unless they are to be kept: who knew the old password may have
// made some. Invalid names the field.
func (s *Users) SetPassword(ctx context.Context, id, password string, keepTokens bool) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	return s.telling(id, s.Store.SetPassword(ctx, id, HashPassword(password), keepTokens))
}

// EndSessions signs an account out in every browser. Its API tokens stay.
func (s *Users) EndSessions(ctx context.Context, id string) error {
	return s.telling(id, s.Store.EndSessions(ctx, id))
}

// telling returns the error of a change. If there is none, it announces that the account's rights have changed.
func (s *Users) telling(id string, err error) error {
	if err == nil {
		s.changed(id)
	}
	return err
}

// changed tells that an account's rights have changed.
func (s *Users) changed(id string) {
	if s.OnChange != nil {
		s.OnChange(id)
	}
}

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
	link := ResetLink{User: *u, Secret: rand.Text(), Expires: agent.Stamp(s.Clock).Add(resetLife)}
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
	return s.telling(u.ID, s.Store.UseReset(agent.WithViewer(ctx, v), u.ID, TokenHash(secret), HashPassword(password), keepTokens))
}
