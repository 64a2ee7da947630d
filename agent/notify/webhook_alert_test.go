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
