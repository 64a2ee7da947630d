package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"

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

// TokenStore is the part of the store that API tokens need.
type TokenStore interface {
	CreateToken(ctx context.Context, t agent.Token, hash []byte) error
}

// CreateToken makes an API token of an account and returns its secret, which is
// stored only as a hash.
func (s *Users) CreateToken(ctx context.Context, userID, name string) (secret string, err error) {
	secret, hash := NewToken()
	t := agent.Token{ID: s.NewID(), UserID: userID, Name: name, CreatedAt: s.Clock.Now()}
	return secret, s.Store.CreateToken(ctx, t, hash)
}
