package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

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
		_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Events: []agent.Event{{RunID: run.ID, Data: data}}})
		check(t, err)
	}
	types := func() string {
		shown, err := s.Transcript(t.Context(), "c", agent.LogPart{Messages: 50})
		check(t, err)
		var names []string
		for _, e := range shown.Events {
			names = append(names, e.Type())
		}
		return strings.Join(names, " ")
	}
	if got := types(); got != "message message tool-call-state tool-result-delta text-delta" {
		t.Errorf("transcript: %s", got)
	}
	end := *run
	end.Status, end.EndedAt = agent.StatusFailed, clock.Now()
	_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Run: &end})
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
	check(t, s.CreateConversation(ctx, agent.Conversation{ID: "d", OwnerID: "u", Title: "ÜBER 100%", ApprovalMode: agent.ModeDefault}))
	for search, want := range map[string]int{"über": 1, "0%": 1, "%": 1, "_": 0, "!": 0, "' OR 1": 0} {
		if found, _, err = s.Conversations(ctx, "u", search, agent.Page{}); err != nil || len(found) != want {
			t.Errorf("search %q found %d, %v; want %d", search, len(found), err, want)
		}
	}
	if _, _, err := s.Conversations(ctx, "u", strings.Repeat("x", 201), agent.Page{}); agent.CodeOf(err) != agent.Invalid {
		t.Errorf("a long search: %v", err)
	}
}

// TestDecidedThoughGone: people who hang up while their decision is committed have decided.
func TestDecidedThoughGone(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	ctx, hangUp := context.WithCancel(t.Context())
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, func(events []agent.Event) {
		if events[len(events)-1].Type() == "approval-decided" {
			hangUp()
		}
	})
	run := seed(t, s, clock)
	a := agent.Approval{ID: "a", Kind: agent.KindTool, RunID: run.ID, ConversationID: "c", Evidence: []byte("{}"), Status: agent.ApprovalPending, Generation: 1}
	_, err := s.Append(ctx, agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Approvals: []agent.ApprovalChange{{Approval: a}}})
	check(t, err)
	a.Status, a.Decision, a.DecidedBy, a.DecidedAt = agent.ApprovalDecided, agent.DecideApprove, "rex@example.org", clock.Now()
	done, err := s.ChangeApproval(ctx, agent.ApprovalUpdate{
		To: a, Frees: true, Events: []agent.EventData{agent.ApprovalDecidedEvent{ApprovalID: a.ID}},
		Audit: []agent.AuditRow{{ID: "1", Actor: "rex@example.org", Action: "approval.decide", Target: "a"}},
	})
	check(t, err)
	if done.Decision != agent.DecideApprove {
		t.Errorf("decided %+v", done)
	}
	rows, _, err := s.AuditRows(t.Context(), agent.AuditFilter{Action: "approval."}, agent.Page{})
	check(t, err)
	if len(rows) != 1 || rows[0].Actor != "rex@example.org" || rows[0].Action != "approval.decide" || rows[0].Target != "a" {
		t.Errorf("audit: %+v", rows)
	}
}

// TestNoMethodIsHidden: a Store has every method of its types. Go would drop a
// method from it without a word where two types have one of the same name, or
// where a field has that name.
func TestNoMethodIsHidden(t *testing.T) {
	t.Parallel()
	whole := reflect.TypeFor[*store.Store]()
	fields := whole.Elem()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if !field.Anonymous {
			continue
		}
		for m := range field.Type.NumMethod() {
			name := field.Type.Method(m).Name
			if _, ok := whole.MethodByName(name); !ok {
				t.Errorf("%s.%s is not a method of Store", field.Name, name)
			}
		}
	}
}
