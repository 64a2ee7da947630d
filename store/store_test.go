package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// TestCommittedIsThere: what was acknowledged is found by the next process.
func TestCommittedIsThere(t *testing.T) {
	t.Parallel()
	path, clock := filepath.Join(t.TempDir(), "sub", "f.db"), agenttest.NewClock()
	first := open(t, path, clock, nil)
	run := seed(t, first, clock)
	_, err := first.Append(t.Context(), delta(run, "text"))
	check(t, err)
	second := open(t, path, clock, nil) // the first is still open: as after kill -9, nothing was closed
	events, err := second.Events(t.Context(), "c", 0, 10)
	check(t, err)
	if len(events) != 2 {
		t.Errorf("%d events, want 2", len(events))
	}
	for file, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(file)
		check(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", file, info.Mode().Perm(), want)
		}
	}
}

// TestManyWriters: all of many writers at once get through, every event is
// told once, in the order of its number.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []int64
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, func(events []agent.Event) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range events {
			told = append(told, e.Seq)
		}
	})
	run := seed(t, s, clock)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			for range 10 {
				e := delta(run, "x")
				if i%8 == 0 {
					e.Epoch = run.Epoch + 7 // a stale one in the same group takes nothing else with it
				}
				if _, err := s.Append(t.Context(), e); (err != nil) != (i%8 == 0) {
					t.Errorf("writer %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 1+56*10 {
		t.Fatalf("%d events were told", len(told))
	}
	for i, seq := range told {
		if seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i, seq)
		}
	}
}

func TestTranscriptLeavesOutWhatIsWhole(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	for _, data := range []agent.EventData{
		agent.TextDelta{ID: "a", Delta: "x"}, agent.ToolCallDelta{ToolCallID: "t", Delta: "{"},
		agent.MessageEvent{Message: agent.Message{ID: "a", Content: "x"}},
		agent.ToolCallStateEvent{ToolCallID: "t", State: agent.CallExecuting},
		agent.ToolResultDelta{ToolCallID: "t", Delta: "live"},
		agent.TextDelta{ID: "b", Delta: "open"},
	} {
		_, err := s.Append(t.Context(), agent.Entry{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Events: []agent.Event{{RunID: run.ID, Data: data}}})
		check(t, err)
	}
	types := func() string {
		events, err := s.Transcript(t.Context(), "c")
		check(t, err)
		var names []string
		for _, e := range events {
			names = append(names, e.Type())
		}
		return strings.Join(names, " ")
	}
	if got := types(); got != "message message tool-call-state tool-result-delta text-delta" {
		t.Errorf("transcript: %s", got)
	}
	end := *run
	end.Status, end.EndedAt = agent.StatusFailed, clock.Now()
	_, err := s.Append(t.Context(), agent.Entry{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Run: &end})
	check(t, err)
	clock.Advance(2 * time.Hour)
	n, err := s.PruneDeltas(t.Context(), clock.Now().Add(-time.Hour), 100)
	check(t, err)
	if n != 2 {
		t.Errorf("pruned %d events, want the two deltas of what is whole", n)
	}
	if got := types(); got != "message message tool-call-state tool-result-delta text-delta" {
		t.Errorf("transcript after pruning: %s", got)
	}
}

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
	if err := s.UpdateUser(ctx, "1", agent.RoleUser, false); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("the last admin went: %v", err)
	}
	u, err = s.UserByID(ctx, "1")
	check(t, err)
	if u.Role != agent.RoleAdmin {
		t.Error("the refused change stands")
	}
	check(t, s.CreateToken(ctx, agent.Token{ID: "t", UserID: "1", Name: "n", CreatedAt: clock.Now()}, []byte("secret-hash")))
	u, err = s.UserByToken(ctx, []byte("secret-hash"))
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

func TestSpendDaysFollowTheZone(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	zone, err := time.LoadLocation("Europe/Berlin")
	check(t, err)
	// Around the change of clocks on 29 March 2026: 23:30 and 00:30 local time.
	for i, at := range []time.Time{
		time.Date(2026, 3, 28, 23, 30, 0, 0, zone), time.Date(2026, 3, 29, 0, 30, 0, 0, zone), time.Date(2026, 3, 29, 23, 30, 0, 0, zone),
	} {
		e := agent.Entry{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Steps: []agent.Step{{
			RunID: run.ID, N: i + 1, ConversationID: "c", UserID: "u", Model: fmt.Sprint("m", i%2),
			Usage: agent.Usage{InputTokens: 10, CachedTokens: 4, OutputTokens: 1}, CostMicros: 100, StartedAt: at, EndedAt: at,
		}}}
		_, err := s.Append(t.Context(), e)
		check(t, err)
	}
	q := agent.SpendQuery{From: time.Date(2026, 3, 1, 0, 0, 0, 0, zone), To: time.Date(2026, 4, 1, 0, 0, 0, 0, zone), Zone: zone, Group: agent.SpendByDay}
	days, err := s.Spend(t.Context(), q)
	check(t, err)
	if len(days) != 2 || days[0].Key != "2026-03-28" || days[0].CostMicros != 100 || days[1].Key != "2026-03-29" || days[1].CostMicros != 200 || days[1].Runs != 1 {
		t.Errorf("days = %+v", days)
	}
	q.Group = agent.SpendByUser
	users, err := s.Spend(t.Context(), q)
	check(t, err)
	if len(users) != 1 || users[0].Key != "ana@example.org" || users[0].InputTokens != 30 || users[0].CachedTokens != 12 {
		t.Errorf("users = %+v", users)
	}
	both, err := s.SpendByDayAndModel(t.Context(), q)
	check(t, err)
	if len(both) != 3 || both[1].Key != "2026-03-29" || both[1].Label != "m0" {
		t.Errorf("by day and model = %+v", both)
	}
}

func TestListsPageWithCursors(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	check(t, s.CreateUser(ctx, agent.User{ID: "u", Email: "a@b", Role: agent.RoleUser}, "h"))
	for i := range 5 {
		check(t, s.CreateConversation(ctx, agent.Conversation{ID: fmt.Sprint("c", i), OwnerID: "u", Title: fmt.Sprint("Title ", i), ApprovalMode: agent.ModeDefault, CreatedAt: clock.Now(), UpdatedAt: clock.Now()}))
	}
	var got []string
	p := agent.Page{Limit: 2}
	for range 3 {
		items, next, err := s.Conversations(ctx, "u", "", p)
		check(t, err)
		for _, c := range items {
			got = append(got, c.ID)
		}
		p.Cursor = next
	}
	if strings.Join(got, " ") != "c4 c3 c2 c1 c0" || p.Cursor != "" {
		t.Errorf("pages: %v, then %q", got, p.Cursor)
	}
	if _, _, err := s.Conversations(ctx, "u", "", agent.Page{Cursor: "nonsense"}); agent.CodeOf(err) != agent.Invalid {
		t.Errorf("a bad cursor: %v", err)
	}
	found, _, err := s.Conversations(ctx, "u", "TITLE 3", agent.Page{})
	check(t, err)
	if len(found) != 1 || found[0].ID != "c3" {
		t.Errorf("search found %+v", found)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	check(t, open2(t, path).Close())
	db, err := sql.Open("sqlite3", path)
	check(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	check(t, err)
	check(t, db.Close())
	_, err = store.Open(t.Context(), store.Options{Path: path, Clock: agenttest.NewClock()})
	if err == nil || !strings.Contains(err.Error(), "999") {
		t.Errorf("err = %v", err)
	}
}

func open2(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path, Clock: agenttest.NewClock(), NewID: agenttest.IDs()})
	check(t, err)
	return s
}

func TestBackupWhileServing(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), agenttest.NewClock()
	path, copied := filepath.Join(dir, "f.db"), filepath.Join(dir, "copy.db")
	s := open(t, path, clock, nil)
	seed(t, s, clock)
	check(t, store.Backup(t.Context(), path, copied))
	if err := store.Backup(t.Context(), path, copied); err == nil {
		t.Error("an existing file was overwritten")
	}
	events, err := open(t, copied, clock, nil).Events(t.Context(), "c", 0, 10)
	check(t, err)
	if len(events) != 1 {
		t.Errorf("the copy has %d events", len(events))
	}
}
