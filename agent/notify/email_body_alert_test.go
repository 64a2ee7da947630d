package notify

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

func alertDelivery(a agent.Alert, channel agent.Channel, receiver string) agent.Delivery {
	n := a.Notification(agent.ToAdmins)
	return agent.Delivery{ID: "d1", Event: n.Event, Channel: channel, Receiver: receiver, Payload: n.Payload}
}

func researchBudget(used int64) agent.BudgetStatus {
	return agent.BudgetStatus{
		Budget: agent.Budget{ID: "b1", Who: agent.WhoGroup, Span: agent.SpanMonth, LimitMicros: 10_000_000, LimitTokens: 1_000_000},
		EndsAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), UsedMicros: used, UsedTokens: 41_200,
	}
}

// TestEmailsAboutMoney: what is used, of what, until when, and where to look;
// no name becomes markup or a header.
func TestEmailsAboutMoney(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	hour := time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		alert   agent.Alert
		subject string
		has     []string
	}{
		{
			agent.NewBudgetAlert(researchBudget(8_000_000), 80, "research", hour), "[Fusebox] A budget is almost used up: research",
			[]string{"80% of the budget of the group research for this month is used: $8.00 of $10.00.", "$8.00 of $10.00", "41.2k of 1M", "1 Dec 2026 00:00 UTC", "https://example.org/fusebox/admin/budgets"},
		},
		{
			agent.NewBudgetAlert(researchBudget(10_000_000), 100, "a\r\nBcc: eve@example.org", hour), "[Fusebox] A budget is used up: a Bcc: eve@example.org",
			[]string{"is used up: $10.00 of $10.00."},
		},
		{
			agent.SpendSpikeAlert(hour, 12_400_000, 1_100_000, 2.5, hour), "[Fusebox] Spending is far above usual",
			[]string{"$12.40", "$1.10", "21 Nov 2026 14:00 UTC", "2.5 times the usual", "https://example.org/fusebox/admin/spend"},
		},
	} {
		t.Run(row.subject, func(t *testing.T) {
			t.Parallel()
			s := newMailServer(t, mailHabits{})
			o := newOutbox(alertDelivery(row.alert, agent.ChannelEmail, "ana@example.org"))
			started(t, clock, o, 0, s.channel(s.relay("smtp+plain", ""), clock))
			if d := o.next(t); d.State != agent.DeliverySent {
				t.Fatalf("%+v", d)
			}
			h, text, page := parts(t, (<-s.mails).data)
			if h.Get("Subject") != row.subject || h.Get("Bcc") != "" || h.Get("References") != "" {
				t.Errorf("header %v", h)
			}
			for _, want := range row.has {
				if !strings.Contains(text, want) || !strings.Contains(page, want) {
					t.Errorf("%q is missing in\n%s\n%s", want, text, page)
				}
			}
			if strings.Contains(text, "decide\n") || strings.Contains(text, "Risk") {
				t.Errorf("it talks of an approval:\n%s", text)
			}
		})
	}
}

// TestAWebhookIsToldTheNumbers: signed like all else.
func TestAWebhookIsToldTheNumbers(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	url, requests := receiver(t, status200)
	o := newOutbox(alertDelivery(agent.NewBudgetAlert(researchBudget(8_000_000), 80, "research", clock.Now()), agent.ChannelWebhook, ""))
	started(t, clock, o, 0, hook(t, url, url, clock))
	if d := o.next(t); d.State != agent.DeliverySent {
		t.Fatalf("%+v", d)
	}
	got := <-requests
	var told struct {
		Event, URL, BudgetID, Scope string
		UsedMicros, LimitMicros     int64
	}
	if err := json.Unmarshal(got.body, &told); err != nil {
		t.Fatal(err)
	}
	if told.Event != "budget.warning" || !strings.HasSuffix(told.URL, "/admin/budgets") || told.BudgetID != "b1" ||
		told.Scope != "group_month" || told.UsedMicros != 8_000_000 || told.LimitMicros != 10_000_000 {
		t.Errorf("told %s", got.body)
	}
	if got.header.Get(HeaderEvent) != "budget.warning" || !strings.HasPrefix(got.header.Get(HeaderSignature), "t=") {
		t.Errorf("header %v", got.header)
	}
}
