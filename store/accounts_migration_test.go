package store_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pressly/goose/v3"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/migrations"
)

// TestOldTokensKeepEverything: tokens from before there were scopes may be used as
// before, for ever.
func TestOldTokensKeepEverything(t *testing.T) {
	t.Parallel()
	path, clock := filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock()
	check(t, open2(t, path).Close())
	db, err := sql.Open("sqlite3", path)
	check(t, err)
	p, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS)
	check(t, err)
	_, err = p.DownTo(t.Context(), 14)
	check(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO users (id, email, password_hash, role, created_at) VALUES ('u', 'a@example.org', '', 'user', 0);
		INSERT INTO tokens (id, user_id, name, hash, created_at) VALUES ('t', 'u', 'old', CAST('hash' AS BLOB), 0)`)
	check(t, err)
	check(t, db.Close())
	_, token, err := open(t, path, clock, nil).UserByToken(t.Context(), []byte("hash"))
	check(t, err)
	if !slices.Equal(token.Scopes, agent.AllTokenScopes()) || !token.ExpiresAt.IsZero() {
		t.Errorf("%+v", token)
	}
}
