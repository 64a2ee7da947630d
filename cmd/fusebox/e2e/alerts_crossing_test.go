package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestACrossingIsTold: the model call that brings a budget over a share of it
// tells it, once; calls between the shares tell nothing, nor does a restart.
func TestACrossingIsTold(t *testing.T) {
	t.Parallel()
	h, requests, mails := notifyingInstance(t)
	// Each call takes 110 tokens: 44, 88, 132 and 176 % of the budget.
	h.admin().must("POST", "/api/v1/budgets", `{"who":"user","subject":"ana@example.org","window":"month","limitTokens":250,"soft":true}`)
	calls := func(n int) {
		t.Helper()
		for range n {
			_, run := h.ana.ask("hello")
			h.ana.rests(run)
		}
	}
	want := func(messages ...string) {
		t.Helper()
		if got := told(t, requests, len(messages)); !slices.Equal(got, messages) {
			t.Errorf("told %q", got)
		}
		for range messages {
			if m := <-mails; m.to != "ana@example.org" {
				t.Errorf("mail to %s", m.to)
			}
		}
	}
	calls(2)
	want("budget.warning: 88% of the budget of ana@example.org for this month is used: 220 of 250 tokens.")
	h.restart(t)
	calls(2)
	want("budget.reached: The budget of ana@example.org for this month is used up: 330 of 250 tokens. Nothing is blocked.")
	h.restart(t)
	calls(1)
	h.admin().must("POST", "/api/v1/notifications/test", `{"channel":"webhook"}`)
	if got := told(t, requests, 1)[0]; !strings.HasPrefix(got, "test: ") || len(mails) > 0 {
		t.Errorf("told again: %q, %d mails", got, len(mails))
	}
	if items := h.ana.must("GET", "/api/v1/alerts", "")["items"].([]any); len(items) != 2 {
		t.Errorf("%d alerts", len(items))
	}
}
