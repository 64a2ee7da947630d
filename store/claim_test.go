package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// queue is a database in which people have runs that wait.
type queue struct {
	*store.Store
	t     *testing.T
	clock *agenttest.Clock
	path  string
	limit int
	n     int
}

func newQueue(t *testing.T, limit int, people ...string) *queue {
	t.Helper()
	q := &queue{t: t, clock: agenttest.NewClock(), path: filepath.Join(t.TempDir(), "f.db"), limit: limit}
	q.open()
	t.Cleanup(func() { _ = q.Close() })
	for _, name := range people {
		check(t, q.CreateUser(t.Context(), agent.User{ID: name, Email: name + "@example.org", Role: agent.RoleUser, CreatedAt: q.clock.Now()}, "hash"))
	}
	return q
}

func (q *queue) open() {
	q.t.Helper()
	db, err := store.Open(q.t.Context(), store.Options{Path: q.path, Clock: q.clock, NewID: agenttest.IDs(), RunsPerUser: q.limit})
	check(q.t, err)
	q.Store = db
}

// post sends a message in a new conversation of a person; claim lets its run start at once.
func (q *queue) post(name string, claim *agent.Claim) agent.Enqueued {
	q.t.Helper()
	return q.postBy(name, "", claim)
}

// postBy does so with a token of theirs.
func (q *queue) postBy(name, token string, claim *agent.Claim) agent.Enqueued {
	q.t.Helper()
	q.n++
	id := fmt.Sprintf("%03d", q.n)
	check(q.t, q.CreateConversation(q.t.Context(), agent.Conversation{ID: "c" + id, OwnerID: name, ApprovalMode: agent.ModeDefault}))
	done, err := q.Enqueue(q.t.Context(), agent.NewMessage{
		ConversationID: "c" + id, UserID: name, TokenID: token, MessageID: "m" + id, RunID: "r" + id, Content: "q", Model: "demo", Claim: claim,
	})
	check(q.t, err)
	return done
}

// claim claims a run and returns its id, "" where none is ready.
func (q *queue) claim() string {
	q.t.Helper()
	run, err := q.Claim(q.t.Context(), "p", time.Hour)
	if agent.CodeOf(err) == agent.NotFound {
		return ""
	}
	check(q.t, err)
	return run.ID
}

func (q *queue) row(id string) agent.Run {
	q.t.Helper()
	run, err := q.Run(q.t.Context(), agent.Viewer{Role: agent.RoleAdmin}, id)
	check(q.t, err)
	return *run
}

func (q *queue) place(id string) int {
	q.t.Helper()
	n, err := q.QueuePlace(q.t.Context(), id)
	check(q.t, err)
	return n
}

// becomes lets the owner of a run change its status.
func (q *queue) becomes(id string, s agent.Status) {
	q.t.Helper()
	run := q.row(id)
	run.Status = s
	_, err := q.Append(q.t.Context(), agent.Change{ConversationID: run.ConversationID, RunID: id, Epoch: run.Epoch, Run: &run})
	check(q.t, err)
}

func (q *queue) wantClaims(want ...string) {
	q.t.Helper()
	for _, id := range want {
		if got := q.claim(); got != id {
			q.t.Fatalf("claimed %q, want %q", got, id)
		}
	}
}

func (q *queue) wantPlace(id string, want int) {
	q.t.Helper()
	if got := q.place(id); got != want {
		q.t.Errorf("the place of %s is %d, want %d", id, got, want)
	}
}

// TestClaimIsFair: the runs of a person beyond their limit keep nobody else
// waiting, and each has its place; the next starts when one ends or is paused,
// also after a restart.
func TestClaimIsFair(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 2, "ana", "ben", "cai")
	for range 5 {
		q.post("ana", nil) // 1 to 5
	}
	q.post("ben", nil) // 6
	q.wantPlace("r003", 3)
	q.wantClaims("r001", "r006", "r002", "")
	q.wantPlace("r003", 1)
	q.wantPlace("r005", 3)
	q.wantPlace("r001", 0)
	q.post("cai", nil) // 7
	q.wantPlace("r007", 1)
	q.wantClaims("r007", "")

	q.becomes("r002", agent.StatusPaused)
	q.wantClaims("r003", "")
	q.becomes("r001", agent.StatusFinished)
	check(t, q.Close())
	q.open()
	q.wantPlace("r004", 1)
	q.wantPlace("r005", 2)
	q.wantClaims("r004", "")
}

// TestClaimIsFairAmongPeople: where all places are taken, one that becomes free goes to the person
// with the fewest runs at work, however long others have waited, and each run's place says so.
func TestClaimIsFairAmongPeople(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 0, "ana", "ben", "cai")
	for range 6 {
		q.post("ana", nil) // 1 to 6
	}
	q.wantClaims("r001", "r002", "r003")
	q.post("ben", nil) // 7
	q.post("ben", nil) // 8
	q.post("cai", nil) // 9
	for id, place := range map[string]int{"r007": 1, "r009": 2, "r008": 3, "r004": 4, "r005": 5, "r006": 6} {
		q.wantPlace(id, place)
	}
	q.wantClaims("r007", "r009", "r008")
	q.becomes("r002", agent.StatusFinished)
	q.becomes("r003", agent.StatusFinished)
	q.post("ben", nil) // 10: of people with as many at work, the older run is next
	q.post("cai", nil) // 11
	for id, place := range map[string]int{"r004": 1, "r011": 2, "r005": 3, "r010": 4, "r006": 5} {
		q.wantPlace(id, place)
	}
	q.wantClaims("r004", "r011", "r005", "r010", "r006", "")
}

// TestClaimIsFairToTokens: within the share of a person a place that becomes free goes to the
// token, or the browser, with the fewest runs at work, however long the queue of another.
func TestClaimIsFairToTokens(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3, "ana", "ben")
	for range 5 {
		q.postBy("ana", "greedy", nil) // 1 to 5
	}
	q.wantClaims("r001", "r002", "r003", "")
	q.wantPlace("r004", 1)
	q.post("ana", nil)             // 6
	q.postBy("ana", "other", nil)  // 7
	q.postBy("ben", "greedy", nil) // 8
	q.wantClaims("r008", "")
	for i, next := range []string{"r006", "r007", "r004"} {
		q.becomes(fmt.Sprintf("r%03d", i+1), agent.StatusFinished)
		q.wantClaims(next, "")
	}
	q.wantPlace("r005", 1)
}

// TestAbortNeedsNoPlace: a run that waits behind its person's limit ends as soon
// as somebody asks for it.
func TestAbortNeedsNoPlace(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1, "ana")
	for range 3 {
		q.post("ana", nil)
	}
	q.wantClaims("r001", "")
	check(t, q.RequestAbort(t.Context(), "r003", "ana@example.org"))
	q.wantClaims("r003", "")
}

// TestLostRunsKeepTheirPlace: a run whose process died is taken over before others
// start, however many its person has.
func TestLostRunsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1, "ana")
	q.post("ana", nil)
	q.post("ana", nil)
	q.wantClaims("r001", "")
	q.clock.Advance(2 * time.Hour)
	q.wantClaims("r001", "")
	if n := q.row("r001").Epoch; n != 2 {
		t.Errorf("epoch %d, want 2", n)
	}
}

// TestSleepingRunsDoNotWait: a run that is not due has no place in the queue.
func TestSleepingRunsDoNotWait(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1, "ana")
	q.post("ana", nil)
	q.wantClaims("r001")
	run := q.row("r001")
	run.Status, run.WakeAt = agent.StatusQueued, q.clock.Now().Add(time.Minute)
	_, err := q.Append(t.Context(), agent.Change{ConversationID: run.ConversationID, RunID: run.ID, Epoch: run.Epoch, Run: &run})
	check(t, err)
	q.wantPlace("r001", 0)
	q.post("ana", nil)
	q.wantClaims("r002", "")
	q.clock.Advance(time.Minute)
	q.wantPlace("r001", 1)
	q.wantClaims("")
	q.becomes("r002", agent.StatusFinished)
	q.wantClaims("r001", "")
}

// TestMessageStartsItsRun: message, run and claim are one commit where there is a
// place. Where the person has none, or a run that waits, the new one is queued.
func TestMessageStartsItsRun(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 2, "ana", "ben")
	claim := &agent.Claim{Owner: "p", Lease: time.Minute}
	if done := q.post("ana", claim); done.Started == nil || done.Started.Epoch != 1 {
		t.Fatalf("started %+v", done.Started)
	}
	run := q.row("r001")
	if run.Status != agent.StatusRunning || run.Owner != "p" || !run.LeaseUntil.Equal(q.clock.Now().Add(time.Minute)) || run.StartedAt.IsZero() {
		t.Errorf("stored %+v", run)
	}
	events, err := q.Events(t.Context(), "c001", 0, 10)
	check(t, err)
	if len(events) != 2 || events[0].Type() != "message" || events[1].Type() != "run-start" {
		t.Errorf("events %v", events)
	}
	q.wantClaims("")

	q.post("ana", nil) // 2: it waits, though there is a place
	if q.post("ana", claim).Started != nil {
		t.Error("a new run has overtaken one that waits")
	}
	q.wantClaims("r002", "")
	if q.post("ana", claim).Started != nil {
		t.Error("a third run has started")
	}
	if q.post("ben", claim).Started == nil {
		t.Error("nobody else's runs keep a person waiting")
	}
}

// TestBeginningIsTheSnapshot: what a run starts with is what would be loaded, in a
// new conversation and in one with a history; unless something happened meanwhile.
func TestBeginningIsTheSnapshot(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 0, "ana")
	claim := &agent.Claim{Owner: "p", Lease: time.Minute}
	done := q.post("ana", claim)
	for range 3 {
		loaded, err := q.Snapshot(t.Context(), done.RunID)
		check(t, err)
		if diff := cmp.Diff(loaded, done.Snapshot, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("loaded, started: %s", diff)
		}
		run := *done.Started
		run.Status = agent.StatusFinished
		m := agent.Message{ID: "a" + done.MessageID, ConversationID: "c001", ParentID: done.MessageID, Role: agent.FromAssistant, Content: "so", RunID: run.ID, CreatedAt: q.clock.Now()}
		_, err = q.Append(t.Context(), agent.Change{
			ConversationID: "c001", RunID: run.ID, Epoch: run.Epoch, Run: &run, Messages: []agent.Message{m},
			Events: []agent.Event{{RunID: run.ID, Data: agent.MessageEvent{Message: m}}},
		})
		check(t, err)
		q.n++
		id := fmt.Sprintf("%03d", q.n)
		done, err = q.Enqueue(t.Context(), agent.NewMessage{
			ConversationID: "c001", UserID: "ana", MessageID: "m" + id, RunID: "r" + id, Content: "q", Title: "t", Model: "demo", Claim: claim,
		})
		check(t, err)
	}
}

// BenchmarkClaim looks for a run to claim among many that wait behind their person's
// limit: it costs the same however many there are.
func BenchmarkClaim(b *testing.B) {
	for _, waiting := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(waiting), func(b *testing.B) {
			clock := agenttest.NewClock()
			db, err := store.Open(b.Context(), store.Options{Path: filepath.Join(b.TempDir(), "f.db"), Clock: clock, NewID: agenttest.IDs(), RunsPerUser: 1})
			check(b, err)
			b.Cleanup(func() { _ = db.Close() })
			check(b, db.Exec(`INSERT INTO users (id, email, role, password_hash, created_at) VALUES ('u', 'u', 'user', '', 0), ('v', 'v', 'user', '', 0)`))
			check(b, db.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= $1)
				INSERT INTO conversations (id, owner_id, title, model, system, approval_mode, created_at, updated_at)
				SELECT 'c' || i, 'u', '', '', '', 'default', 0, 0 FROM n`, waiting))
			check(b, db.Exec(`INSERT INTO runs (id, conversation_id, user_id, token_id, message_id, status, model, limits, created_at)
				SELECT 'r' || id, id, 'u', 't', '', 'queued', 'm', '{}', 0 FROM conversations`))
			if _, err := db.Claim(b.Context(), "p", time.Hour); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := db.Claim(b.Context(), "p", time.Hour); agent.CodeOf(err) != agent.NotFound {
					b.Fatal(err)
				}
			}
		})
	}
}
