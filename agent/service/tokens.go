package service

import (
	"crypto/rand"
	"crypto/sha256"
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
