package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
)

const tokenPrefix = "fbx_"

// NewToken makes an API token and the hash under which it is stored.
func NewToken() (token string, hash []byte) {
	token = tokenPrefix + rand.Text()
	return token, TokenHash(token)
}

// TokenHash is the hash under which a token is stored. It needs no salt and no slowness: a token is 128 random bits.
func TokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// The bounds of tokens.
const (
	maxTokenName = 80
	// maxTokens is how many tokens one user may have.
	maxTokens = 50
	// MaxTokenDays is how long a token that expires may be used, ten years.
	MaxTokenDays = 3650
)

// TokenInput are the fields of a token that is made.
type TokenInput struct {
	UserID, Name string
	Scopes       []string
	// Days is how long it may be used, 0 for ever.
	Days int
	// Within is the token that it is made with, nil for none: no token makes one that
	// may do more, or lives longer.
	Within *agent.Token
}

// AddToken makes an API token of an account under a name of its own. Invalid names the
// fields.
func (s *Users) AddToken(ctx context.Context, in TokenInput) (t agent.Token, secret string, err error) {
	in.Name = strings.TrimSpace(in.Name)
	all, err := s.Store.Tokens(ctx, in.UserID)
	if err != nil {
		return t, "", err
	}
	switch {
	case in.Name == "":
		return t, "", agent.InvalidField("name", "is missing; say what the token is for")
	case utf8.RuneCountInString(in.Name) > maxTokenName || !utf8.ValidString(in.Name):
		return t, "", agent.InvalidField("name", "is too long; use at most %d characters", maxTokenName)
	case len(all) >= maxTokens:
		return t, "", agent.InvalidField("name", "is one too many; there are %d tokens, the maximum, so delete one first", maxTokens)
	case slices.ContainsFunc(all, func(t agent.Token) bool { return t.Name == in.Name }):
		return t, "", agent.InvalidField("name", "is the name of another token of yours; choose another one")
	}
	return s.CreateToken(ctx, in)
}

// CreateToken makes an API token of an account and returns its secret, which is
// stored only as a hash. Invalid names the fields.
func (s *Users) CreateToken(ctx context.Context, in TokenInput) (t agent.Token, secret string, err error) {
	t = agent.Token{ID: s.NewID(), UserID: in.UserID, Name: in.Name, CreatedAt: agent.Stamp(s.Clock)}
	if t.Scopes, err = agent.ParseTokenScopes("scopes", in.Scopes); err != nil {
		return t, "", err
	}
	if in.Days < 0 || in.Days > MaxTokenDays {
		return t, "", agent.InvalidField("expiresInDays", "is %d; allowed: 0 (never expires) to %d", in.Days, MaxTokenDays)
	}
	if in.Days > 0 {
		t.ExpiresAt = t.CreatedAt.Add(time.Duration(in.Days) * 24 * time.Hour)
	}
	if maker := in.Within; maker != nil {
		if !t.Scopes.Within(maker.Scopes) {
			return t, "", agent.InvalidField("scopes", "go beyond those of the token that you use; allowed: %s", maker.Scopes)
		}
		if end := maker.ExpiresAt; !end.IsZero() && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(end)) {
			return t, "", agent.InvalidField("expiresInDays", "is later than the token that you use expires")
		}
	}
	secret, hash := NewToken()
	return t, secret, s.Store.CreateToken(ctx, t, hash)
}

// DeleteToken takes one of an account's own tokens away, and ends what was opened with
// it. NotFound for any other.
func (s *Users) DeleteToken(ctx context.Context, userID, id string) error {
	return s.telling(userID, s.Store.DeleteToken(ctx, userID, id))
}
