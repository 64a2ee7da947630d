package mail

import (
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

var now = time.Date(2026, 11, 21, 15, 30, 0, 0, time.UTC)

func shellWaits() agent.NotifyPayload {
	return agent.NotifyPayload{
		Event: agent.NotifyRequested, ApprovalID: "a1", Kind: agent.KindTool, Risk: agent.RiskHigh, ToolName: "run_shell",
		Message: "run_shell runs a program on the server.", Owner: "bob@example.org", ConversationTitle: "Clean <b>up</b>", Path: "/approvals/a1",
		ExpiresAt: now.Add(90 * time.Minute),
	}
}

func alerted(a agent.Alert) agent.NotifyPayload {
	return agent.NotifyPayload{Event: agent.NotifyEvent(a.Kind), At: a.At, Message: a.Message, Path: a.Path, AlertFacts: a.AlertFacts}
}

func researchBudget(used int64) agent.BudgetStatus {
	return agent.BudgetStatus{
		Budget: agent.Budget{ID: "b1", Who: agent.WhoGroup, Span: agent.SpanMonth, LimitMicros: 10_000_000, LimitTokens: 1_000_000},
		EndsAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), UsedMicros: used, UsedTokens: 41_200,
	}
}

// TestLetters: what, who, why, how long and where, in both forms and both languages.
func TestLetters(t *testing.T) {
	t.Parallel()
	const link = "https://example.org/fusebox/approvals/a1"
	hour := now.Truncate(time.Hour)
	injected := shellWaits()
	injected.ToolName = "x\r\nBcc: eve@example.org"
	for _, row := range []struct {
		name, lang string
		payload    agent.NotifyPayload
		subject    string
		has        []string
	}{
		{"an approval", "", shellWaits(), "[Fusebox] run_shell (high risk) needs a decision",
			[]string{"high", "bob@example.org", "runs a program on the server.", "Time left", "1 h 30 min, until 21 Nov 2026 17:00 UTC", link}},
		{"an approval in Chinese", "zh", shellWaits(), "[Fusebox] run_shell（高风险）需要处理",
			[]string{"bob@example.org", "run_shell 在服务器上运行程序。", "剩余时间", "1 小时 30 分钟，至 2026年11月21日 17:00（UTC）", "查看并处理", link}},
		{"a tool's name with lines", "", injected, "[Fusebox] x Bcc: eve@example.org (high risk) needs a decision", nil},
		{"a budget", "", alerted(agent.NewBudgetAlert(researchBudget(8_000_000), 80, "research", hour)), "[Fusebox] A budget is almost used up: research",
			[]string{"80% of the budget of the group research for this month is used: $8.00 of $10.00.", "41.2k of 1M", "1 Dec 2026 00:00 UTC", "/admin/budgets"}},
		{"a budget in Chinese", "zh", alerted(agent.NewBudgetAlert(researchBudget(8_000_000), 80, "research", hour)), "[Fusebox] 预算即将用完：research",
			[]string{"用户组 research（本月）的预算已使用 80%：$8.00 / $10.00。", "4.1 万 / 100 万", "2026年12月1日 00:00（UTC）"}},
		{"a name with lines", "", alerted(agent.NewBudgetAlert(researchBudget(10_000_000), 100, "a\r\nBcc: eve@example.org", hour)),
			"[Fusebox] A budget is used up: a Bcc: eve@example.org", []string{"is used up: $10.00 of $10.00."}},
		{"a spike", "", alerted(agent.SpendSpikeAlert(hour, 12_400_000, 1_100_000, 2.5, hour)), "[Fusebox] Spending is far above usual",
			[]string{"$12.40", "$1.10", "21 Nov 2026 15:00 UTC", "2.5 times the usual", "/admin/spend"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l, err := Write(row.payload, "https://example.org/fusebox", row.lang, now)
			if err != nil || l.Subject != row.subject {
				t.Fatalf("subject %q, %v", l.Subject, err)
			}
			for _, want := range row.has {
				if !strings.Contains(l.Text, want) || !strings.Contains(l.HTML, want) {
					t.Errorf("%q is missing in\n%s\n%s", want, l.Text, l.HTML)
				}
			}
			if strings.Contains(l.HTML, "<b>") {
				t.Errorf("the title is markup in\n%s", l.HTML)
			}
		})
	}
}

// TestSubjects: each event has its own words.
func TestSubjects(t *testing.T) {
	t.Parallel()
	for event, want := range map[agent.NotifyEvent]string{
		agent.NotifyReminder:  "[Fusebox] Reminder: run_shell (high risk) is still waiting for a decision",
		agent.NotifyEscalated: "[Fusebox] run_shell (high risk) was escalated to you",
		agent.NotifyExpired:   "[Fusebox] run_shell (high risk) was not decided in time",
		agent.NotifyDecided:   "[Fusebox] run_shell (high risk) was decided",
		agent.NotifyTest:      "[Fusebox] Test notification",
	} {
		p := shellWaits()
		p.Event, p.Decision = event, agent.DecideReject
		if got, err := Write(p, "", "", now); err != nil || got.Subject != want {
			t.Errorf("%s: %s, %v", event, got.Subject, err)
		}
	}
	for kind, want := range map[agent.ApprovalKind]string{
		agent.KindLoop: "A tripped loop breaker", agent.KindBudget: "A used-up budget", agent.KindQuestion: "A question from the agent",
		agent.KindOutcome: "The unknown outcome of run_shell",
	} {
		got, err := Write(agent.NotifyPayload{Kind: kind, ToolName: "run_shell"}, "", "", now)
		if err != nil || got.Subject != "[Fusebox] "+want+" needs a decision" {
			t.Errorf("%s: %s, %v", kind, got.Subject, err)
		}
	}
}

// TestTimeLeft: in the two largest units.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Second: "1 min", 59 * time.Minute: "59 min", 24*time.Hour - time.Second: "1 d 0 h", 23*time.Hour + 5*time.Minute: "23 h 5 min",
	} {
		p := shellWaits()
		p.ExpiresAt = now.Add(d)
		if l, err := Write(p, "", "", now); err != nil || !strings.Contains(l.Text, "Time left: "+want+", until") {
			t.Errorf("%s: %s, %v", d, l.Text, err)
		}
	}
}
