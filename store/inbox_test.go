package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

var (
	rex = agent.Viewer{UserID: "rex", Email: "rex@example.org", Role: agent.RoleReviewer}
	ida = agent.Viewer{UserID: "ida", Email: "ida@example.org", Role: agent.RoleReviewer}
)

// inbox is a store with some approvals that wait, asked a minute apart.
type inbox struct {
	*store.Store
	t     *testing.T
	clock *agenttest.Clock
	run   *agent.Run
}

func newInbox(t *testing.T, ids ...string) *inbox {
	return newInboxWith(t, store.Options{}, ids...)
}

func newInboxWith(t *testing.T, o store.Options, ids ...string) *inbox {
	clock := agenttest.NewClock()
	o.Path, o.Clock, o.NewID = filepath.Join(t.TempDir(), "f.db"), clock, agenttest.IDs()
	s, err := store.Open(t.Context(), o)
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	b := &inbox{Store: s, t: t, clock: clock}
	b.run = seed(t, b.Store, clock)
	for _, id := range ids {
		b.ask(agent.Approval{ID: id})
	}
	return b
}

func (b *inbox) ask(a agent.Approval) {
	b.t.Helper()
	b.clock.Advance(time.Minute)
	a.Kind, a.Status, a.RunID, a.ConversationID, a.Generation = or(a.Kind, agent.KindTool), or(a.Status, agent.ApprovalPending), b.run.ID, "c", 1
	a.Risk, a.Evidence, a.RequestedAt, a.ExpiresAt = or(a.Risk, agent.RiskLow), []byte(`{}`), b.clock.Now(), b.clock.Now().Add(time.Hour)
	_, err := b.Append(b.t.Context(), agent.Change{
		ConversationID: "c", RunID: b.run.ID, Epoch: b.run.Epoch, Approvals: []agent.ApprovalChange{{Approval: a}},
	})
	check(b.t, err)
}

func or[T ~string](value, otherwise T) T {
	if value == "" {
		return otherwise
	}
	return value
}

func (b *inbox) look(v agent.Viewer, id string) {
	b.t.Helper()
	b.clock.Advance(time.Second)
	check(b.t, b.NotePresence(b.t.Context(), v, id, false))
	b.clock.Advance(time.Second)
}

// page reads one page; unread ones are marked.
func (b *inbox) page(v agent.Viewer, f agent.ApprovalFilter, p agent.Page) (ids []string, next string) {
	b.t.Helper()
	items, next, err := b.Inbox(b.t.Context(), v, f, p)
	check(b.t, err)
	for _, e := range items {
		if e.Unread {
			e.ID += "*"
		}
		ids = append(ids, e.ID)
	}
	return ids, next
}

var waiting = agent.ApprovalFilter{Status: agent.ApprovalPending}

// TestInboxShowsRiskFirst, then what is due first. What was read keeps its place.
func TestInboxShowsRiskFirst(t *testing.T) {
	t.Parallel()
	b := newInbox(t)
	b.ask(agent.Approval{ID: "a1", Risk: agent.RiskMedium})
	b.ask(agent.Approval{ID: "a2", Risk: agent.RiskCritical})
	b.ask(agent.Approval{ID: "a3", Risk: agent.RiskLow})
	b.ask(agent.Approval{ID: "a4", Risk: agent.RiskHigh})
	b.ask(agent.Approval{ID: "a5", Risk: agent.RiskMedium})
	b.look(rex, "a2")
	b.look(rex, "a1")
	for _, tc := range []struct {
		viewer agent.Viewer
		filter agent.ApprovalFilter
		want   string
	}{
		{rex, waiting, "a2 a4* a1 a5* a3*"},
		{ida, waiting, "a2* a4* a1* a5* a3*"},
		{rex, agent.ApprovalFilter{Status: agent.ApprovalPending, Unread: true}, "a4* a5* a3*"},
		{rex, agent.ApprovalFilter{}, "a5* a4* a3* a2 a1"},
		{agent.Viewer{UserID: "stranger", Role: agent.RoleUser}, waiting, ""},
	} {
		if got, _ := b.page(tc.viewer, tc.filter, agent.Page{}); strings.Join(got, " ") != tc.want {
			t.Errorf("%s, %+v: %v, want %s", tc.viewer.UserID, tc.filter, got, tc.want)
		}
	}
	for id, want := range map[string][2]string{"a2": {"", "a4"}, "a1": {"a4", "a5"}, "a3": {"a5", "a2"}} {
		a, err := b.Approval(t.Context(), rex, id)
		check(t, err)
		previous, next, err := b.Neighbours(t.Context(), rex, *a)
		check(t, err)
		if got := [2]string{previous, next}; got != want {
			t.Errorf("beside %s: %v, want %v", id, got, want)
		}
	}
}

// TestPagesLoseNothing: whoever reads, decides or asks while somebody turns the
// pages, each approval that waited all the time is on exactly one of them.
func TestPagesLoseNothing(t *testing.T) {
	t.Parallel()
	var ids []string
	for i := range 30 {
		ids = append(ids, fmt.Sprintf("a%02d", i))
	}
	b := newInbox(t, ids...)
	for i := 0; i < 30; i += 3 {
		b.look(rex, ids[i])
	}
	var got []string
	p := agent.Page{Limit: 4}
	for n := 0; n == 0 || p.Cursor != ""; n++ {
		page, next := b.page(rex, waiting, p)
		for _, id := range page {
			got = append(got, strings.TrimSuffix(id, "*"))
		}
		// They open one that they have seen and one that is still to come, and others look too.
		b.look(rex, got[0])
		b.look(rex, ids[29-n])
		b.look(ida, ids[n])
		p.Cursor = next
	}
	slices.Sort(got)
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Error(diff)
	}
	for _, cursor := range []string{"x", "MSB4", "MSA", "MSB1LjEuYQ"} {
		if _, _, err := b.Inbox(t.Context(), rex, waiting, agent.Page{Cursor: cursor}); agent.CodeOf(err) != agent.Invalid {
			t.Errorf("cursor %q: %v", cursor, err)
		}
	}
}

func TestAskedAgainIsUnread(t *testing.T) {
	t.Parallel()
	b := newInbox(t, "a1")
	check(t, b.NotePresence(t.Context(), rex, "a1", true))
	a, err := b.Approval(t.Context(), rex, "a1")
	check(t, err)
	b.clock.Advance(time.Hour)
	a.Generation, a.RequestedAt = 2, b.clock.Now()
	_, err = b.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: *a})
	check(t, err)
	if got, _ := b.page(rex, waiting, agent.Page{}); strings.Join(got, " ") != "a1*" {
		t.Errorf("asked again: %v", got)
	}
	b.look(rex, "a1")
	looks, err := b.Presences(t.Context(), []string{"a1"}, time.Time{})
	check(t, err)
	if len(looks) != 1 || looks[0].Opened || !looks[0].FirstAt.Equal(looks[0].LastAt) {
		t.Errorf("what was opened before counts for what is asked now: %+v", looks)
	}
	if got, _ := b.page(rex, waiting, agent.Page{}); strings.Join(got, " ") != "a1" {
		t.Errorf("read again: %v", got)
	}
}

func TestLooks(t *testing.T) {
	t.Parallel()
	b := newInbox(t, "a1", "a2")
	b.look(rex, "a1")
	check(t, b.NotePresence(t.Context(), ida, "a1", true))
	b.look(ida, "a1") // opened sticks
	since := b.clock.Now()
	b.look(ida, "a2")
	for _, tc := range []struct {
		ids   []string
		since time.Time
		want  string
	}{
		{nil, time.Time{}, "a1 rex false, a1 ida true, a2 ida false"},
		{nil, since, "a2 ida false"},
		{[]string{"a1"}, time.Time{}, "a1 rex false, a1 ida true"},
	} {
		looks, err := b.Presences(t.Context(), tc.ids, tc.since)
		check(t, err)
		var got []string
		for _, l := range looks {
			got = append(got, fmt.Sprint(l.ApprovalID, " ", l.UserID, " ", l.Opened))
		}
		if text := strings.Join(got, ", "); text != tc.want {
			t.Errorf("%v since %v: %s, want %s", tc.ids, tc.since, text, tc.want)
		}
	}
	stranger := agent.Viewer{UserID: "stranger", Role: agent.RoleUser}
	for _, id := range []string{"a1", "none"} {
		if err := b.NotePresence(t.Context(), stranger, id, false); agent.CodeOf(err) != agent.NotFound {
			t.Errorf("a stranger looks at %s: %v", id, err)
		}
	}
}

func TestInboxFilters(t *testing.T) {
	t.Parallel()
	b := newInbox(t)
	b.ask(agent.Approval{ID: "a1", ToolName: "run_shell", Args: []byte(`{"command":"rm -rf Ärger_100%"}`)})
	b.ask(agent.Approval{ID: "a2", ToolName: "write_file", Risk: agent.RiskHigh, Message: "Writes OUTSIDE."})
	b.clock.Advance(2 * time.Hour)
	b.ask(agent.Approval{ID: "a3", Kind: agent.KindLoop, ToolName: "run_shell"})
	b.ask(agent.Approval{ID: "a4", Status: agent.ApprovalCancelled})
	title := "Weather report"
	_, err := b.UpdateConversation(t.Context(), agent.Viewer{UserID: "u", Role: agent.RoleAdmin}, "c", agent.ConversationPatch{Title: &title})
	check(t, err)
	for _, tc := range []struct {
		f    agent.ApprovalFilter
		want string
	}{
		{agent.ApprovalFilter{}, "a4 a3* a2* a1*"},
		{waiting, "a2* a1* a3*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Tool: "run_shell"}, "a1* a3*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Tool: "run_shell", Kind: agent.KindLoop}, "a3*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Risk: agent.RiskHigh}, "a2*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, OlderThan: b.clock.Now().Add(-time.Hour)}, "a2* a1*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Search: "ärger"}, "a1*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Search: "_100%"}, "a1*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Search: "outside"}, "a2*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Search: "WRITE_"}, "a2*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Search: "weather R"}, "a2* a1* a3*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Search: "%"}, "a1*"},
		{agent.ApprovalFilter{Status: agent.ApprovalPending, Search: "' OR 1"}, ""},
	} {
		if got, _ := b.page(rex, tc.f, agent.Page{}); strings.Join(got, " ") != tc.want {
			t.Errorf("%+v: %v, want %s", tc.f, got, tc.want)
		}
		plain, _, err := b.Approvals(t.Context(), rex, tc.f, agent.Page{})
		check(t, err)
		if len(plain) != len(strings.Fields(tc.want)) {
			t.Errorf("%+v: the plain list has %d", tc.f, len(plain))
		}
	}
	if _, _, err := b.Inbox(t.Context(), rex, agent.ApprovalFilter{Search: strings.Repeat("x", 201)}, agent.Page{}); agent.CodeOf(err) != agent.Invalid {
		t.Errorf("a long search: %v", err)
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	b := newInbox(t, "a1", "a2", "a3")
	b.look(rex, "a2")
	got, err := b.Waiting(t.Context(), rex, 2)
	check(t, err)
	if got.Pending != 3 || got.Unread != 2 || len(got.Newest) != 2 || got.Newest[0].ID != "a3" || !got.Newest[0].Unread || got.Newest[1].Unread {
		t.Errorf("%+v", got)
	}
	some, err := b.InboxEntries(t.Context(), rex, []string{"a3", "none", "a1"})
	check(t, err)
	if len(some) != 2 || some[0].ID != "a1" || some[0].OwnerEmail != "ana@example.org" {
		t.Errorf("%+v", some)
	}
	if none, err := b.InboxEntries(t.Context(), agent.Viewer{UserID: "x", Role: agent.RoleUser}, []string{"a1"}); err != nil || len(none) != 0 {
		t.Errorf("a stranger finds %+v, %v", none, err)
	}
}

// TestFourEyesLeaveOnesOwnToOthers: what people asked for themselves does not wait for them,
// besides the questions that only they can answer.
func TestFourEyesLeaveOnesOwnToOthers(t *testing.T) {
	t.Parallel()
	b := newInboxWith(t, store.Options{OwnerMayConfirm: true, FourEyes: true}, "a1")
	b.ask(agent.Approval{ID: "a2", Kind: agent.KindQuestion})
	for _, role := range []agent.Role{agent.RoleUser, agent.RoleReviewer, agent.RoleAdmin} {
		for by, want := range map[agent.Deciders]string{agent.ByViewer: "a2*", agent.ByOthers: "a1*"} {
			if got, _ := b.page(agent.Viewer{UserID: "u", Role: role}, agent.ApprovalFilter{Status: agent.ApprovalPending, By: by}, agent.Page{}); strings.Join(got, " ") != want {
				t.Errorf("an owner who is a %s, by %s: %v, want %s", role, by, got, want)
			}
		}
	}
	if got, err := b.Waiting(t.Context(), rex, 5); err != nil || got.Pending != 1 || len(got.Newest) != 1 || got.Newest[0].ID != "a1" {
		t.Errorf("a reviewer: %+v, %v", got, err)
	}
}
