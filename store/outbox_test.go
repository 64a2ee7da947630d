package store_test

import (
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
	"fusebox/agent/service"
	"fusebox/store"
	"fusebox/store/storetest"
)

// office is a store with both channels, people of all kinds, and the service.
type office struct {
	t       *testing.T
	db      *store.Store
	clock   *agenttest.Clock
	service agenttest.Commands
	run     *agent.Run
	rings   int // how often somebody was told that there is something to deliver
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, clock: agenttest.NewClock()}
	newID := agenttest.IDs()
	var err error
	o.db, err = store.Open(t.Context(), store.Options{
		Path: storetest.Migrated(t, filepath.Join(t.TempDir(), "f.db")), Clock: o.clock, NewID: newID, Channels: store.Channels{Webhook: true, Email: true},
		OnOutbox: func() { o.rings++ }, // by the writer, which answers the caller afterwards
	})
	check(t, err)
	t.Cleanup(func() { check(t, o.db.Close()) })
	for _, u := range []agent.User{
		{ID: "u", Email: "owner@x.org", Role: agent.RoleUser}, {ID: "adm", Email: "admin@x.org", Role: agent.RoleAdmin},
		{ID: "rev", Email: "reviewer@x.org", Role: agent.RoleReviewer}, {ID: "off", Email: "disabled@x.org", Role: agent.RoleReviewer, Disabled: true},
		{ID: "mute", Email: "mute@x.org", Role: agent.RoleAdmin}, {ID: "other", Email: "other@x.org", Role: agent.RoleUser},
	} {
		check(t, o.db.CreateUser(t.Context(), u, "h"))
	}
	check(t, o.db.SetNotify(t.Context(), "mute", false))
	check(t, o.db.CreateConversation(t.Context(), agent.Conversation{ID: "c", OwnerID: "u", Title: "Cleaning", ApprovalMode: agent.ModeDefault}))
	_, err = o.db.Enqueue(t.Context(), agent.NewMessage{ConversationID: "c", UserID: "u", MessageID: "m1", RunID: "r1", Content: "q", Model: "demo"})
	check(t, err)
	o.run, err = o.db.Claim(t.Context(), "p", time.Hour)
	check(t, err)
	o.service = agenttest.NewCommands(o.db, &loop.Runner{Clock: o.clock, Log: slog.New(slog.DiscardHandler)}, nil, o.clock, newID)
	o.service.OnTimeout, o.service.Timeout = service.TimeoutPark, 100*time.Minute
	return o
}

// asks makes a pending approval as the loop does, told in the same entry.
func (o *office) asks(id string, kind agent.ApprovalKind) agent.Approval {
	o.t.Helper()
	now := o.clock.Now()
	a := agent.Approval{
		ID: id, Kind: kind, Risk: agent.RiskHigh, RunID: "r1", ConversationID: "c", ToolName: "run_shell", Message: "It can run any program.",
		Evidence: []byte("{}"), Status: agent.ApprovalPending, Generation: 1, Needs: 1, RequestedAt: now, ExpiresAt: now.Add(100 * time.Minute), DueAt: now.Add(75 * time.Minute),
	}
	if kind == agent.KindBudget {
		a.Message = "The spending budget of the run would be exceeded: $4.90 of $5.00 spent, $0.05 reserved by calls in progress, and the next model call may cost $0.20."
	}
	_, err := o.db.Append(o.t.Context(), agent.Change{ConversationID: "c", RunID: "r1", Epoch: o.run.Epoch, Approvals: []agent.ApprovalChange{{Approval: a}}})
	check(o.t, err)
	return a
}

// told is what has been written to the outbox since the last look: event,
// approval and receiver, sorted.
func (o *office) told() []string {
	o.t.Helper()
	all := []string{}
	for _, c := range []agent.Channel{agent.ChannelWebhook, agent.ChannelEmail} {
		rows, err := o.db.ClaimDeliveries(o.t.Context(), c, o.clock.Now(), o.clock.Now().Add(1000*time.Hour), 100)
		check(o.t, err)
		for _, d := range rows {
			all = append(all, strings.TrimSpace(fmt.Sprint(d.Event, " ", d.ApprovalID, " ", d.Channel, " ", d.Receiver)))
		}
	}
	slices.Sort(all)
	return all
}

func (o *office) wants(when string, want ...string) {
	o.t.Helper()
	if got := o.told(); !slices.Equal(got, want) {
		o.t.Errorf("%s: told\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestWhoIsToldAsTimePasses: reviewers are reminded, admins are handed it on,
// and its owner too learns that it has expired. Who is disabled, wants no e-mail
// or has nothing to do with it is not told; nobody is told the same twice.
func TestWhoIsToldAsTimePasses(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.asks("a", agent.KindTool)
	o.asks("q", agent.KindQuestion)
	pass := func(d time.Duration) {
		o.clock.Advance(d)
		check(t, o.service.Tick(t.Context()))
	}
	pass(time.Minute)
	o.wants("early")
	pass(74 * time.Minute)
	o.wants("at 75 %",
		"approval.reminder a email admin@x.org", "approval.reminder a email reviewer@x.org", "approval.reminder a webhook",
		"approval.reminder q email owner@x.org", "approval.reminder q webhook")
	all, _, err := o.db.Deliveries(t.Context(), agent.DeliveryFilter{}, agent.Page{})
	check(t, err)
	for _, d := range all { // what the agent asks in its own words stays inside
		if own := strings.Contains(string(d.Payload), "It can run any program."); own != (d.ApprovalID == "a") {
			t.Errorf("told of %s: %s", d.ApprovalID, d.Payload)
		}
	}
	pass(15 * time.Minute)
	o.wants("at 90 %",
		"approval.escalated a email admin@x.org", "approval.escalated a webhook",
		"approval.escalated q email admin@x.org", "approval.escalated q webhook")
	pass(10 * time.Minute)
	o.wants("at its end",
		"approval.expired a email admin@x.org", "approval.expired a email owner@x.org", "approval.expired a email reviewer@x.org", "approval.expired a webhook",
		"approval.expired q email owner@x.org", "approval.expired q webhook")
	pass(time.Hour)
	o.wants("after its end")
}

// TestToldInTheirLanguage: what is sent to a person says which language they have set.
func TestToldInTheirLanguage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	check(t, o.db.SetLanguage(t.Context(), "rev", "zh"))
	o.asks("a1", agent.KindTool)
	o.clock.Advance(75 * time.Minute)
	check(t, o.service.Tick(t.Context()))
	rows, err := o.db.ClaimDeliveries(t.Context(), agent.ChannelEmail, o.clock.Now(), o.clock.Now().Add(time.Hour), 100)
	check(t, err)
	languages := map[string]string{}
	for _, d := range rows {
		languages[d.Receiver] = d.Language
	}
	if !maps.Equal(languages, map[string]string{"reviewer@x.org": "zh", "admin@x.org": ""}) {
		t.Errorf("%v", languages)
	}
}

// TestWhoIsHandedACard: the person the configuration names, unless they want none.
func TestWhoIsHandedACard(t *testing.T) {
	t.Parallel()
	for to, want := range map[agent.Audience][]string{
		"Boss@Elsewhere.org": {"approval.escalated a email boss@elsewhere.org", "approval.escalated a webhook"},
		"mute@x.org":         {"approval.escalated a webhook"},
		"disabled@x.org":     {"approval.escalated a webhook"},
		agent.ToReviewers:    {"approval.escalated a email admin@x.org", "approval.escalated a email reviewer@x.org", "approval.escalated a webhook"},
	} {
		t.Run(string(to), func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.service.EscalateTo = to
			o.asks("a", agent.KindTool)
			o.clock.Advance(75 * time.Minute)
			check(t, o.service.Tick(t.Context()))
			o.told()
			o.clock.Advance(15 * time.Minute)
			check(t, o.service.Tick(t.Context()))
			o.wants("handed on", want...)
		})
	}
}

// TestToldWithWhatItTellsOf: a decision that is committed is told, one that is
// refused leaves nothing behind, and who delivers is woken by the first alone.
func TestToldWithWhatItTellsOf(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	a := o.asks("a", agent.KindTool)
	decide := func(message string) error {
		to := a
		to.Status, to.Decision, to.DecidedBy, to.DecidedAt = agent.ApprovalDecided, agent.DecideApprove, "reviewer@x.org", o.clock.Now()
		_, err := o.db.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: to, Frees: true, Notify: []agent.Notification{
			{Event: agent.NotifyDecided, ApprovalID: "a", ConversationID: "c", To: agent.ToOwner, Payload: []byte(message)},
		}})
		return err
	}
	check(t, decide(`{"first":true}`))
	o.wants("decided", "approval.decided a email owner@x.org", "approval.decided a webhook")
	if o.rings != 1 {
		t.Errorf("woken %d times", o.rings)
	}
	if err := decide(`{"second":true}`); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a second decision: %v", err)
	}
	o.wants("refused")
	all, _, err := o.db.Deliveries(t.Context(), agent.DeliveryFilter{}, agent.Page{})
	check(t, err)
	if len(all) != 2 || o.rings != 1 {
		t.Errorf("%d deliveries, woken %d times", len(all), o.rings)
	}
}

// TestAClaimIsOnes: what is claimed is nobody else's until its time is over; a
// try that comes back later than that changes nothing of the one after it.
func TestAClaimIsOnes(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, err := o.db.PostTest(t.Context(), "admin@x.org", agent.ChannelWebhook)
	check(t, err)
	claim := func() []agent.Delivery {
		rows, err := o.db.ClaimDeliveries(t.Context(), agent.ChannelWebhook, o.clock.Now(), o.clock.Now().Add(time.Minute), 10)
		check(t, err)
		return rows
	}
	first := claim()
	if len(first) != 1 || first[0].Attempts != 1 || len(claim()) != 0 {
		t.Fatalf("first claim %+v", first)
	}
	o.clock.Advance(time.Minute)
	second := claim()
	if len(second) != 1 || second[0].ID != first[0].ID || second[0].Attempts != 2 {
		t.Fatalf("second claim %+v", second)
	}
	late := first[0]
	late.State, late.Problem = agent.DeliveryDead, "too late"
	check(t, o.db.FinishDelivery(t.Context(), late))
	now := second[0]
	now.State, now.SentAt = agent.DeliverySent, o.clock.Now()
	check(t, o.db.FinishDelivery(t.Context(), now))
	all, _, err := o.db.Deliveries(t.Context(), agent.DeliveryFilter{}, agent.Page{})
	check(t, err)
	if len(all) != 1 || all[0].State != agent.DeliverySent || all[0].Problem != "" {
		t.Errorf("%+v", all)
	}
	if err := o.db.FinishDelivery(t.Context(), late); err != nil || len(claim()) != 0 {
		t.Errorf("what is sent is due again, %v", err)
	}
}

// TestDeletedConversationsAreToldNoMore: what was told of them, and what was
// still to be told, goes with them.
func TestDeletedConversationsAreToldNoMore(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.asks("a", agent.KindTool)
	o.clock.Advance(75 * time.Minute)
	check(t, o.service.Tick(t.Context()))
	end := *o.run
	end.Status, end.EndedAt = agent.StatusFailed, o.clock.Now()
	_, err := o.db.Append(t.Context(), agent.Change{ConversationID: "c", RunID: "r1", Epoch: o.run.Epoch, Run: &end})
	check(t, err)
	check(t, o.db.DeleteConversation(t.Context(), agent.Viewer{UserID: "u"}, "c"))
	all, _, err := o.db.Deliveries(t.Context(), agent.DeliveryFilter{}, agent.Page{})
	check(t, err)
	if len(all) != 0 {
		t.Errorf("left: %+v", all)
	}
}

// TestOldDeliveriesGo: and younger ones stay.
func TestOldDeliveriesGo(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for range 2 {
		_, err := o.db.PostTest(t.Context(), "admin@x.org", agent.ChannelEmail)
		check(t, err)
		o.clock.Advance(20 * 24 * time.Hour)
	}
	check(t, o.db.PruneDeliveries(t.Context(), o.clock.Now().AddDate(0, 0, -30)))
	all, _, err := o.db.Deliveries(t.Context(), agent.DeliveryFilter{}, agent.Page{})
	check(t, err)
	if len(all) != 1 {
		t.Errorf("%d are left", len(all))
	}
}

// TestNoChannelNothingKept: without a channel nobody is told, and a test is refused.
func TestNoChannelNothingKept(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	if _, err := s.PostTest(t.Context(), "admin@x.org", agent.ChannelWebhook); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a test without a channel: %v", err)
	}
	rows, _, err := s.AuditRows(t.Context(), agent.AuditFilter{}, agent.Page{})
	check(t, err)
	if len(rows) != 0 {
		t.Errorf("a refused test is in the audit log: %+v", rows)
	}
}
