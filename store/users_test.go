package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/migrations"
)

func TestOwnership(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	ctx := t.Context()
	owner := agent.Viewer{UserID: "u", Role: agent.RoleUser}
	other := agent.Viewer{UserID: "v", Role: agent.RoleUser}
	reviewer := agent.Viewer{UserID: "w", Role: agent.RoleReviewer}
	admin := agent.Viewer{UserID: "x", Role: agent.RoleAdmin}
	for _, tc := range []struct {
		name string
		v    agent.Viewer
		code agent.Code
	}{{"owner", owner, ""}, {"other", other, agent.NotFound}, {"reviewer", reviewer, agent.NotFound}, {"admin", admin, ""}} {
		_, err := s.Conversation(ctx, tc.v, "c")
		if agent.CodeOf(err) != tc.code {
			t.Errorf("conversation for %s: %v", tc.name, err)
		}
		_, err = s.Run(ctx, tc.v, run.ID)
		if agent.CodeOf(err) != tc.code {
			t.Errorf("run for %s: %v", tc.name, err)
		}
	}
	title := "mine now"
	_, err := s.UpdateConversation(ctx, admin, "c", agent.ConversationPatch{Title: &title})
	if agent.CodeOf(err) != agent.Forbidden {
		t.Errorf("an admin changed somebody's conversation: %v", err)
	}
	if err := s.DeleteConversation(ctx, owner, "c"); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("deleted under a running run: %v", err)
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	admin := agent.User{ID: "1", Email: "Ana@Example.org", Role: agent.RoleAdmin, CreatedAt: clock.Now()}
	check(t, s.CreateFirstUser(ctx, admin, "h1"))
	if err := s.CreateFirstUser(ctx, agent.User{ID: "2", Email: "ben@example.org", Role: agent.RoleAdmin}, "h"); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a second first user: %v", err)
	}
	if err := s.CreateUser(ctx, agent.User{ID: "3", Email: "ana@EXAMPLE.org"}, "h"); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("the same address twice: %v", err)
	}
	u, hash, err := s.UserByEmail(ctx, " ANA@example.org")
	check(t, err)
	if u.ID != "1" || hash != "h1" {
		t.Errorf("found %+v %s", u, hash)
	}
	if err := s.PatchUser(ctx, "1", agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(false)}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("the last admin went: %v", err)
	}
	u, err = s.UserByID(ctx, "1")
	check(t, err)
	if u.Role != agent.RoleAdmin {
		t.Error("the refused change stands")
	}
	check(t, s.CreateToken(ctx, agent.Token{ID: "t", UserID: "1", Name: "n", CreatedAt: clock.Now()}, []byte("secret-hash")))
	u, _, err = s.UserByToken(ctx, []byte("secret-hash"))
	check(t, err)
	if u.ID != "1" {
		t.Errorf("token of %s", u.ID)
	}
	if err := s.DeleteToken(ctx, "other", "t"); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("another user deleted the token: %v", err)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	path := filepath.Join(t.TempDir(), "f.db")
	x := open(t, path, clock, nil).Sessions()
	ctx := t.Context()
	check(t, x.CommitCtx(ctx, "token", []byte("one"), clock.Now().Add(time.Hour)))
	check(t, x.CommitCtx(ctx, "token", []byte("two"), clock.Now().Add(time.Hour)))
	data, found, err := x.FindCtx(ctx, "token")
	check(t, err)
	if !found || string(data) != "two" {
		t.Errorf("found %v %q", found, data)
	}
	raw, err := os.ReadFile(path + "-wal")
	check(t, err)
	if strings.Contains(string(raw), "token\x00") {
		t.Error("the token itself is in the database")
	}
	clock.Advance(2 * time.Hour)
	if _, found, err = x.FindCtx(ctx, "token"); err != nil || found {
		t.Errorf("an expired session was found: %v", err)
	}
}

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
