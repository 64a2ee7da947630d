package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

func standing(who agent.BudgetWho, of string, usedMicros int64) agent.BudgetStatus {
	return agent.BudgetStatus{
		Budget:   agent.Budget{ID: "b-" + string(who), Who: who, Span: agent.SpanMonth, LimitMicros: 10_000_000, AtLimit: agent.LimitPause},
		Of:       of,
		StartsAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), EndsAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		UsedMicros: usedMicros,
	}
}

func (o *office) crosses(who agent.BudgetWho, of, name string, level int64) agent.Alert {
	o.t.Helper()
	a := agent.NewBudgetAlert(standing(who, of, level*100_000), level, name, o.clock.Now())
	check(o.t, o.db.RaiseAlert(o.t.Context(), a))
	return a
}

// alerts are the messages that a person sees, newest first.
func (o *office) alerts(v agent.Viewer) []string {
	o.t.Helper()
	items, _, err := o.db.Alerts(o.t.Context(), v, agent.Page{})
	check(o.t, err)
	all := []string{}
	for _, a := range items {
		all = append(all, a.Message)
	}
	return all
}

var (
	owner = agent.Viewer{UserID: "u", Email: "owner@x.org", Role: agent.RoleUser}
	other = agent.Viewer{UserID: "other", Email: "other@x.org", Role: agent.RoleUser}
	admin = agent.Viewer{UserID: "adm", Email: "admin@x.org", Role: agent.RoleAdmin}
)

// TestWhoIsToldOfABudget: admins are told of shared budgets, people of their own and
// of those of their runs and conversations, which send no e-mail. People who want no
// e-mail get none.
func TestWhoIsToldOfABudget(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		who      agent.BudgetWho
		of, name string
		told     []string
		sees     agent.Viewer
		not      agent.Viewer
		message  string
	}{
		{agent.WhoEverybody, "", "everybody", []string{"budget.warning  email admin@x.org", "budget.warning  webhook"}, admin, owner, "the budget of everybody for this month"},
		{agent.WhoGroup, "research", "research", []string{"budget.warning  email admin@x.org", "budget.warning  webhook"}, admin, owner, "the budget of the group research"},
		{agent.WhoUser, "u", "owner@x.org", []string{"budget.warning  email owner@x.org", "budget.warning  webhook"}, owner, admin, "the budget of owner@x.org"},
		{agent.WhoUser, "mute", "mute@x.org", []string{"budget.warning  webhook"}, agent.Viewer{UserID: "mute"}, owner, "the budget of mute@x.org"},
		{agent.WhoRun, "r1", "", []string{"budget.warning  webhook"}, owner, admin, "the budget of the run"},
		{agent.WhoConversation, "c", "Cleaning", []string{"budget.warning  webhook"}, owner, other, "the budget of the conversation “Cleaning”"},
	} {
		t.Run(string(row.who)+row.of, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.crosses(row.who, row.of, row.name, 80)
			o.wants("first", row.told...)
			o.crosses(row.who, row.of, row.name, 80)
			o.wants("again")
			if got := o.alerts(row.sees); len(got) != 1 || !strings.HasPrefix(got[0], "80% of "+row.message) || !strings.Contains(got[0], "$8.00 of $10.00") {
				t.Errorf("seen %q", got)
			}
			if got := o.alerts(row.not); len(got) > 0 {
				t.Errorf("a stranger sees %q", got)
			}
			o.crosses(row.who, row.of, row.name, 100)
			if got := o.told(); len(got) != len(row.told) || !strings.HasPrefix(got[0], "budget.reached") {
				t.Errorf("at its limit told %q", got)
			}
		})
	}
}

// TestMoneyIsHidden: where only admins are shown money, others are told shares
// alone, inside and by e-mail; the webhook is the instance's and gets all.
func TestMoneyIsHidden(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	check(t, o.db.HideMoney())
	o.crosses(agent.WhoUser, "u", "owner@x.org", 80)
	o.crosses(agent.WhoConversation, "c", "Cleaning", 100)
	o.crosses(agent.WhoUser, "adm", "admin@x.org", 80)
	o.crosses(agent.WhoEverybody, "", "", 80)
	o.clock.Advance(time.Second)
	if got := o.alerts(owner); len(got) != 2 || strings.Contains(strings.Join(got, ""), "$") ||
		!slices.Contains(got, "80% of the budget of owner@x.org for this month is used.") {
		t.Errorf("the owner sees %q", got)
	}
	if got := o.alerts(admin); len(got) != 2 || strings.Count(strings.Join(got, ""), "$") != 4 {
		t.Errorf("the admin sees %q", got)
	}
	all, _, err := o.db.Deliveries(t.Context(), agent.DeliveryFilter{}, agent.Page{})
	check(t, err)
	for _, d := range all {
		shows := strings.Contains(string(d.Payload), "$") || strings.Contains(string(d.Payload), "Micros")
		if shows == (d.Receiver == "owner@x.org") {
			t.Errorf("%s %s: %s", d.Channel, d.Receiver, d.Payload)
		}
	}
	if len(all) != 7 { // four by webhook, three by e-mail
		t.Errorf("%d deliveries", len(all))
	}
}

// TestMailOfABudgetCardHidesMoney: a reviewer who is shown no money reads none in
// the e-mail of an approval about a budget either; admins and the webhook do.
func TestMailOfABudgetCardHidesMoney(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	check(t, o.db.HideMoney())
	o.asks("a", agent.KindBudget)
	o.clock.Advance(76 * time.Minute)
	check(t, o.service.Tick(t.Context()))
	all, _, err := o.db.Deliveries(t.Context(), agent.DeliveryFilter{}, agent.Page{})
	check(t, err)
	if len(all) != 3 {
		t.Errorf("%d deliveries", len(all))
	}
	for _, d := range all {
		payload := string(d.Payload)
		if strings.Contains(payload, "$") == (d.Receiver == "reviewer@x.org") || !strings.Contains(payload, "The spending budget of the run would be exceeded") {
			t.Errorf("%s %s: %s", d.Channel, d.Receiver, payload)
		}
	}
}

// TestResentMailHidesMoney: an e-mail that is sent once more tells what its
// receiver may see now.
func TestResentMailHidesMoney(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.crosses(agent.WhoUser, "u", "owner@x.org", 80)
	mails, err := o.db.ClaimDeliveries(t.Context(), agent.ChannelEmail, o.clock.Now(), o.clock.Now().Add(time.Hour), 10)
	check(t, err)
	mails[0].State = agent.DeliverySent
	check(t, o.db.FinishDelivery(t.Context(), mails[0]))
	check(t, o.db.HideMoney())
	_, err = o.db.Resend(t.Context(), "admin@x.org", mails[0].ID)
	check(t, err)
	again, err := o.db.ClaimDeliveries(t.Context(), agent.ChannelEmail, o.clock.Now(), o.clock.Now().Add(time.Hour), 10)
	check(t, err)
	if payload := string(again[0].Payload); strings.Contains(payload, "$") || strings.Contains(payload, "Micros") || !strings.Contains(payload, "80% of the budget") {
		t.Errorf("sent once more: %s (at first %s)", payload, mails[0].Payload)
	}
}

// TestAlertsOfNobody: a budget of what is deleted already is told to nobody, and
// is not an error for what it is part of.
func TestAlertsOfNobody(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, who := range []agent.BudgetWho{agent.WhoRun, agent.WhoConversation, agent.WhoUser} {
		o.crosses(who, "gone", "", 80)
	}
	o.wants("gone")
}

// TestSeenAlerts: what was seen is new no more, what comes later is; seeing
// never goes back, and what was before an account is not news to it.
func TestSeenAlerts(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	unseen := func(v agent.Viewer, want int) {
		t.Helper()
		if n, err := o.db.UnseenAlerts(t.Context(), v); err != nil || n != want {
			t.Errorf("%s: %d unseen, %v, want %d", v.Email, n, err, want)
		}
	}
	first := o.crosses(agent.WhoEverybody, "", "everybody", 80)
	unseen(admin, 1)
	unseen(owner, 0)
	check(t, o.db.SeeAlerts(t.Context(), admin, first.At))
	unseen(admin, 0)
	o.clock.Advance(time.Second)
	o.crosses(agent.WhoEverybody, "", "everybody", 100)
	check(t, o.db.SeeAlerts(t.Context(), admin, first.At.Add(-time.Hour)))
	unseen(admin, 1)
	items, _, err := o.db.Alerts(t.Context(), admin, agent.Page{})
	check(t, err)
	if seen := []bool{items[0].Seen, items[1].Seen}; !slices.Equal(seen, []bool{false, true}) {
		t.Errorf("seen %v", seen)
	}
	o.clock.Advance(time.Second)
	check(t, o.db.CreateUser(t.Context(), agent.User{ID: "new", Email: "new@x.org", Role: agent.RoleAdmin, CreatedAt: o.clock.Now()}, "h"))
	unseen(agent.Viewer{UserID: "new", Email: "new@x.org", Role: agent.RoleAdmin}, 0)
}

// TestAlertsPage: page by page all of them, the newest first.
func TestAlertsPage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 5 {
		o.clock.Advance(time.Duration(i%2) * time.Second) // some at the same time
		check(t, o.db.RaiseAlert(t.Context(), agent.SpendSpikeAlert(o.clock.Now().Add(time.Duration(i)*time.Hour), 9_000_000, 1_000_000, 5, o.clock.Now())))
	}
	var ids []string
	for p := (agent.Page{Limit: 2}); ; {
		items, next, err := o.db.Alerts(t.Context(), admin, p)
		check(t, err)
		for _, a := range items {
			ids = append(ids, a.ID)
		}
		if next == "" {
			break
		}
		p.Cursor = next
	}
	slices.Sort(ids)
	if len(ids) != 5 || len(slices.Compact(ids)) != 5 {
		t.Errorf("%d alerts: %v", len(ids), ids)
	}
}

// TestOldAlertsGo: with the deliveries; and those of a conversation with it.
func TestOldAlertsGo(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.crosses(agent.WhoEverybody, "", "everybody", 80)
	o.clock.Advance(31 * 24 * time.Hour)
	o.crosses(agent.WhoEverybody, "", "everybody", 100)
	check(t, o.db.PruneDeliveries(t.Context(), o.clock.Now().AddDate(0, 0, -30)))
	if got := o.alerts(admin); len(got) != 1 || !strings.HasPrefix(got[0], "The budget of everybody for this month is used up: $10.00 of $10.00.") {
		t.Errorf("left: %q", got)
	}
	o.crosses(agent.WhoConversation, "c", "Cleaning", 80)
	o.crosses(agent.WhoRun, "r1", "Cleaning", 80)
	end := *o.run
	end.Status, end.EndedAt = agent.StatusFailed, o.clock.Now()
	_, err := o.db.Append(t.Context(), agent.Change{ConversationID: "c", RunID: "r1", Epoch: o.run.Epoch, Run: &end})
	check(t, err)
	check(t, o.db.DeleteConversation(t.Context(), owner, "c"))
	if got := o.alerts(owner); len(got) != 0 {
		t.Errorf("of a conversation that is gone: %q", got)
	}
	o.wants("what is left to tell", "budget.reached  email admin@x.org", "budget.reached  webhook")
}
