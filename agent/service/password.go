package service

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"

	"fusebox/agent"
)

// MinPassword and MaxPassword bound the length of passwords, in bytes.
const (
	MinPassword = 10
	MaxPassword = 1000
)

// The parameters of argon2id do the work of the second recommendation of RFC 9106,
// for machines that cannot spend 2 GiB on a login, in half the memory and twice the
// passes. OWASP asks for 19 MiB and 2 passes at least.
const (
	argonTime    = 6
	argonMemory  = 32 << 10 // KiB
	argonThreads = 4
	argonKey     = 32
	argonSalt    = 16
)

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
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails: it ends the program instead
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		b64(salt), b64(derive(password, salt, argonTime, argonMemory, argonThreads)))
}

func b64(b []byte) string { return base64.RawStdEncoding.EncodeToString(b) }

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

func derive(password string, salt []byte, time, memory uint32, threads uint8) []byte {
	// What the hash needed would count as live until the next collection, and let
	// the heap grow to twice as much.
	defer runtime.GC()
	return argon2.IDKey([]byte(password), salt, time, memory, threads, argonKey)
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
	return fits(password, hash), nil
}

func fits(password, hash string) bool {
	var version int
	var time, memory uint32
	var threads uint8
	parts := strings.Split(hash, "$")
	if len(parts) == 6 {
		_, err1 := fmt.Sscanf(parts[2], "v=%d", &version)
		_, err2 := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &threads)
		salt, err3 := base64.RawStdEncoding.DecodeString(parts[4])
		key, err4 := base64.RawStdEncoding.DecodeString(parts[5])
		if err1 == nil && err2 == nil && err3 == nil && err4 == nil && parts[1] == "argon2id" && len(key) == argonKey {
			return subtle.ConstantTimeCompare(key, derive(password, salt, time, memory, threads)) == 1
		}
	}
	derive(password, make([]byte, argonSalt), argonTime, argonMemory, argonThreads)
	return false
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
