package web_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"fusebox/agent"
)

// amount is money that somebody could read: on a page, or in a field of JSON.
var amount = regexp.MustCompile(`\$[0-9]|Micros":[1-9]`)

// TestHiddenMoneyIsAtNoDoor: once an admin has hidden it, nobody else finds an
// amount anywhere, and everybody finds their tokens.
func TestHiddenMoneyIsAtNoDoor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	boss, rex, ana := s.user("boss@example.org", agent.RoleAdmin), s.user("rex@example.org", agent.RoleReviewer), s.user("ana@example.org", agent.RoleUser)
	done := s.finished(ana, "numbers")
	budget, loop := budgetCard(), loopCard()
	budget.Message = "4.5k tokens more would cost $0.0123 of $1.00."
	budget = s.paused(ana, "budget", budget)
	short := budgetCard()
	short.Evidence, _ = json.Marshal(agent.BudgetEvidence{Scope: "everybody_month", Money: true, UsedMicros: 990_000, LimitMicros: 1_000_000, NextStepMicros: 20_000})
	short = s.paused(ana, "short", short)
	s.ok(s.db.AddBudget(t.Context(), boss.Viewer(), agent.Budget{ID: "b", Who: agent.WhoEverybody, Span: agent.SpanMonth, LimitMicros: 90_000_000, AtLimit: agent.LimitPause}))
	told := s.started(ana, "told")
	s.append(told, agent.Change{Events: []agent.Event{{Data: agent.BudgetEvent{Level: "warning", Scope: "everybody_month", UsedMicros: 72_000_000, LimitMicros: 90_000_000}}}})
	loop.Evidence, _ = json.Marshal(agent.LoopEvidence{Detector: "generic_repeat", Count: 2, Calls: []agent.EvidenceCall{
		{N: 1, ToolName: "a", Args: json.RawMessage(`{"costMicros":7}`), Tokens: 4500, CostMicros: 5000}, {N: 2, ToolName: "a", Tokens: 4500, CostMicros: 5000},
	}})
	loop = s.paused(ana, "loop", loop)
	pages := []string{
		"/c/" + done.ConversationID, "/c/" + budget.ConversationID, "/c/" + loop.ConversationID, "/runs/" + done.ID, "/runs/" + budget.RunID,
		"/approvals/" + budget.ID, "/approvals/" + loop.ID, "/settings/usage",
		"/c/" + short.ConversationID, "/approvals/" + short.ID, "/c/" + told.ConversationID, "/runs/" + told.ID,
	}
	calls := []string{
		"/api/v1/runs/" + done.ID, "/api/v1/conversations/" + done.ConversationID + "/events?follow=false",
		"/api/v1/conversations/" + budget.ConversationID + "/events?follow=false", "/api/v1/conversations/" + loop.ConversationID + "/events?follow=false",
		"/api/v1/approvals", "/api/v1/approvals/" + budget.ID, "/api/v1/approvals/" + loop.ID, "/api/v1/spend?group=model", "/api/v1/runs/" + done.ID + "/verdicts",
		"/api/v1/budgets", "/api/v1/conversations/" + told.ConversationID + "/events?follow=false",
	}
	shown := func(who agent.User, path string) string {
		if strings.HasPrefix(path, "/api/") {
			return s.client(who).call("GET", path, "").body
		}
		return s.as(who).get(path).body
	}
	for _, path := range append(pages[:len(pages):len(pages)], calls...) {
		if body := shown(ana, path); !amount.MatchString(body) && !strings.HasSuffix(path, "/verdicts") {
			t.Errorf("%s shows no money before it is hidden: the test is blind there", path)
		}
	}

	s.as(boss).post("/admin/spend/money", form("hidden", "true")).check(t, want{status: http.StatusSeeOther, location: "/admin/spend"})
	audit, _, err := s.db.AuditRows(t.Context(), agent.AuditFilter{Action: "setting."}, agent.Page{})
	s.ok(err)
	if len(audit) != 1 || audit[0].Action != "setting.money_hidden" || audit[0].Actor != boss.Email {
		t.Errorf("audited: %+v", audit)
	}
	for _, who := range []agent.User{ana, rex} {
		for _, path := range append(append(pages[:len(pages):len(pages)], "/approvals"), calls...) {
			body := shown(who, path)
			body = strings.ReplaceAll(body, `"costMicros":7`, "") // what the model asked for
			if at := amount.FindStringIndex(body); at != nil {
				t.Errorf("%s sees at %s: …%s…", who.Email, path, body[max(0, at[0]-120):min(len(body), at[1]+40)])
			}
		}
	}
	for path, has := range map[string]string{
		"/c/" + done.ConversationID: "4k tokens in, 500 out", "/runs/" + done.ID: "4.5k", "/settings/usage": "Tokens per day",
		"/c/" + told.ConversationID: "Everyone, this month: most of the budget is used",
		"/api/v1/spend?group=model": `"inputTokens":20000`, "/api/v1/spend?group=model&format=csv": "demo,5,20000,5000,2500,0,",
	} {
		if body := shown(ana, path); !strings.Contains(body, has) {
			t.Errorf("%s lacks %q", path, has)
		}
	}
	for _, path := range []string{"/runs/" + done.ID, "/approvals/" + budget.ID, "/api/v1/spend?group=model"} {
		if !amount.MatchString(shown(boss, path)) {
			t.Errorf("an admin sees no money at %s", path)
		}
	}
	if body := shown(boss, "/admin/spend"); !strings.Contains(body, "% of the $90.00 budget") {
		t.Error("the month does not say how much of everybody's budget it is")
	}
	s.as(ana).get("/runs/"+done.ID).check(t, want{status: http.StatusOK, has: []string{">Tokens</th>"}, hasNot: []string{"Cost", "COST"}})
	s.as(boss).post("/admin/spend/money", form()).check(t, want{status: http.StatusSeeOther, location: "/admin/spend"})
	if !amount.MatchString(shown(ana, "/runs/"+done.ID)) {
		t.Error("money stays hidden")
	}
}

// TestMoneyThatIsHiddenLater: what was told while money was shown, and prices,
// which with tokens are money, show no amount either. Long numbers among the
// arguments of a card stay as they are.
func TestMoneyThatIsHiddenLater(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	boss, ana := s.user("boss@example.org", agent.RoleAdmin), s.user("ana@example.org", agent.RoleUser)
	s.crosses(agent.WhoUser, ana.ID, ana.Email)
	loop := loopCard()
	loop.Evidence, _ = json.Marshal(agent.LoopEvidence{Detector: "generic_repeat", Count: 1, Calls: []agent.EvidenceCall{
		{N: 1, ToolName: "a", Args: json.RawMessage(`{"id":12345678901234567890}`), CostMicros: 5000},
	}})
	loop = s.paused(ana, "loop", loop)
	b := s.as(ana)
	paths := []string{"/alerts", "/", "/api/v1/alerts", "/api/v1/models"}
	b.get("/api/v1/models").check(t, want{status: http.StatusOK, has: []string{`"input":`}})
	s.as(boss).post("/admin/spend/money", form("hidden", "true")).check(t, want{status: http.StatusSeeOther, location: "/admin/spend"})
	b.get("/api/v1/models").check(t, want{status: http.StatusOK, has: []string{`"price":null`}, hasNot: []string{`"input":`}})
	b.get("/").check(t, want{status: http.StatusOK, has: []string{"alerts: 1 new"}})
	for _, path := range paths {
		if body := b.get(path).body; amount.MatchString(body) {
			t.Errorf("%s shows money: %s", path, amount.FindString(body))
		}
	}
	card := budgetCard()
	card.Evidence = json.RawMessage(`{"budgetId":"b","scope":"user_day","subjectName":"ana@example.org","money":true,"usedMicros":4900000,"limitMicros":5000000,"nextStepMicros":200000}`)
	s.paused(ana, "budget", card)
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"Raise the limit: ana@example.org, today", "the next call could cost more than what"}, hasNot: []string{"$0.00"}})
	b.get("/alerts").check(t, want{status: http.StatusOK, has: []string{"80% of the budget of ana@example.org for this month is used."}})
	// A decision on what has changed meanwhile is told what stands now.
	rex := s.user("rex@example.org", agent.RoleReviewer)
	conflict := s.client(rex).call("POST", "/api/v1/approvals/"+loop.ID+"/decision", `{"decision":"resume","generation":9}`)
	conflict.check(t, want{status: http.StatusConflict, has: []string{`"approval":`}})
	if amount.MatchString(conflict.body) {
		t.Errorf("a conflict shows money: %s", conflict.body)
	}
	b.get("/api/v1/approvals/"+loop.ID).check(t, want{status: http.StatusOK, has: []string{`"id":12345678901234567890`}})
	// So is what a reviewer hears while it happens, and what they have just decided.
	card.Evidence = json.RawMessage(`{"scope":"run","money":true,"usedMicros":4900000,"limitMicros":5000000,"nextStepMicros":200000}`)
	r := s.as(rex)
	open := s.socket(r, "/ws/inbox?format=html&whole=true")
	s.awaits(open, "pending-count")
	asked := s.paused(ana, "told", card)
	told := s.awaits(open, "New approval: Raise the limit")
	r.post("/approvals/bulk", form("decision", "approve", "item", s.pickOf(asked.ID))).check(t, want{status: http.StatusSeeOther, location: "/approvals"})
	inBulk, settled := r.get("/approvals"), s.awaits(open, "Raise the limit: This run — ")
	inBulk.check(t, want{status: http.StatusOK, has: []string{"1 of 1 decided", "Raise the limit: This run"}})
	r.post("/approvals/"+s.paused(ana, "decided", card).ID+"/decision", form("decision", "abort", "advance", "true")).check(t, want{status: http.StatusSeeOther, location: "/approvals/" + loop.ID})
	decided := r.get("/approvals/" + loop.ID)
	decided.check(t, want{status: http.StatusOK, has: []string{"data-say", "Raise the limit: This run"}})
	for what, body := range map[string]string{"news": told, "bulk": inBulk.body, "the end": settled, "the decision": decided.body} {
		if at := amount.FindStringIndex(body); at != nil {
			t.Errorf("%s shows money: …%s…", what, body[max(0, at[0]-120):at[1]+20])
		}
	}
}

// TestRunEndsWithItsBill: tokens in and out, cost and model stand below an
// answer; what nobody has a price for is not free.
func TestRunEndsWithItsBill(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.finished(ana, "numbers")
	s.as(ana).get("/c/"+run.ConversationID).check(t, want{status: http.StatusOK, has: []string{"4k tokens in, 500 out", "(1k cached)", "$0.0050", "<span>demo</span>"}})

	free := s.started(ana, "unpriced") // its first step has a price
	u := agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 5}, Estimated: true}
	free.Status, free.StopReason, free.EndedAt, free.Usage, free.CostMicros = agent.StatusFinished, agent.StopGoal, s.clock.Now(), u, 0
	s.append(free, agent.Change{Run: free, Events: []agent.Event{
		{Data: agent.RunStart{Model: "secret-model"}}, {Data: agent.StepFinish{Usage: u, Unpriced: true}},
		{Data: agent.Finish{Status: free.Status, StopReason: free.StopReason, Model: "secret-model", Usage: u}},
	}})
	s.as(ana).get("/c/"+free.ConversationID).check(t, want{
		status: http.StatusOK, has: []string{"10 tokens in, 5 out (estimated)", "<span>secret-model</span>", "not counting 1 call without a price"},
	})
}
