package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"fusebox/store/sqlite"
)

// Sessions keeps the browser sessions for the session manager. Tokens are
// stored as hashes: reading the database is not enough to take a session over.
type Sessions struct{ *core }

func sessionKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// FindCtx returns a session's data; found is false for unknown and expired ones.
func (x *Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT data FROM sessions WHERE hash = $1 AND expires_at > $2`,
		sessionKey(token), sqlite.MS(x.clock.Now())).Scan(&data)
	return data, err == nil, sqlite.OrNone(err)
}

// CommitCtx stores a session until expiry.
func (x *Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	return x.db.Exec(ctx, false, `INSERT INTO sessions (hash, data, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (hash) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`, sessionKey(token), data, sqlite.MS(expiry))
}

// DeleteCtx ends a session.
func (x *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return x.db.Exec(ctx, true, `DELETE FROM sessions WHERE hash = $1`, sessionKey(token))
}

// Find implements the session manager's interface, which calls FindCtx instead.
func (x *Sessions) Find(token string) ([]byte, bool, error) {
	return x.FindCtx(context.Background(), token)
}

// Commit implements the session manager's interface.
func (x *Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return x.CommitCtx(context.Background(), token, data, expiry)
}

// Delete implements the session manager's interface.
func (x *Sessions) Delete(token string) error { return x.DeleteCtx(context.Background(), token) }

// pruneBatch bounds how many sessions one call of PruneSessions removes.
const pruneBatch = 1000

// PruneSessions removes sessions that have expired, a bounded number at a time.
func (x *Sessions) PruneSessions(ctx context.Context) error {
	return x.db.Exec(ctx, false, `DELETE FROM sessions WHERE hash IN (
		SELECT hash FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, sqlite.MS(x.clock.Now()), pruneBatch)
}
