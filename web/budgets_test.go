package web_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

type budgetBody struct {
	agent.Budget
	SubjectName, ResetsAt string
	Accounts              int
	Standings             []struct {
		Subject, SubjectName string
		UsedMicros, Percent  int64
		RemainingMicros      *int64
	}
}

type budgetsBody struct{ Items []budgetBody }

// TestBudgetsOverTheAPI: what is sent is checked field by field, whom a budget
// bounds stays, and an ended one is gone.
func TestBudgetsOverTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.client(s.user("ada@example.org", agent.RoleAdmin))
	ben := s.user("ben@example.org", agent.RoleUser)
	const path = "/api/v1/budgets"
	_, month := agent.SpanMonth.Window(s.clock.Now(), time.UTC)
	made := decoded[budgetBody](t, admin.call("POST", path, `{"who":"user","subject":"Ben@example.org","window":"month","limitMicros":5000000}`), 201)
	if made.Subject != ben.ID || made.SubjectName != "ben@example.org" || made.AtLimit != agent.LimitPause || made.CreatedBy != "ada@example.org" ||
		made.ResetsAt != month.Format(agent.TimeFormat) || len(made.Standings) != 1 || *made.Standings[0].RemainingMicros != 5_000_000 {
		t.Errorf("made %+v", made)
	}
	for body, field := range map[string]string{
		`{"who":"crowd","window":"day","limitTokens":1}`:                                                   "who",
		`{"who":"everybody","window":"run","limitTokens":1}`:                                               "window",
		`{"who":"everybody","window":"day"}`:                                                               "limitTokens",
		`{"who":"group","window":"day","limitTokens":1}`:                                                   "subject",
		`{"who":"user","subject":"no@body.org","window":"day","limitTokens":1}`:                            "subject",
		`{"who":"user","subject":"nobody","window":"day","limitTokens":1}`:                                 "subject",
		`{"who":"everybody","window":"day","limitMicros":-1}`:                                              "limitMicros",
		`{"who":"everybody","window":"day","limitTokens":1,"atLimit":"explode"}`:                           "atLimit",
		`{"who":"everybody","window":"day","limitTokens":1,"atLimit":"cheaper"}`:                           "model",
		`{"who":"everybody","window":"day","limitTokens":1,"atLimit":"cheaper","model":"not-offered"}`:     "model",
		`{"who":"everybody","subject":"x","window":"day","limitTokens":1,"atLimit":"stop","soft":"false"}`: "soft",
	} {
		got := admin.call("POST", path, body)
		if got.status != 422 && got.status != 400 || !strings.Contains(got.body, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	admin.call("POST", path, `{"who":"everybody","window":"day","limitMicros":1e3}`).check(t, want{status: 400, has: []string{"is a number 1e3; expected a whole number"}})
	admin.call("POST", path, `[]`).check(t, want{status: 400, has: []string{"The body is a JSON list; expected an object."}, hasNot: []string{`"field"`}})
	admin.call("POST", path, `{"who":"user","subject":"`+ben.ID+`","window":"month","limitTokens":5}`).check(t, want{status: 409})
	one := path + "/" + made.ID
	admin.call("PATCH", one, `{"window":"day"}`).check(t, want{status: 422, has: []string{"end this budget and add another"}})
	changed := decoded[budgetBody](t, admin.call("PATCH", one, `{"limitTokens":700,"atLimit":"stop"}`), 200)
	if changed.LimitMicros != 5_000_000 || changed.LimitTokens != 700 || changed.AtLimit != agent.LimitStop {
		t.Errorf("changed to %+v", changed)
	}
	admin.call("DELETE", one, "").check(t, want{status: 204})
	admin.call("DELETE", one, "").check(t, want{status: 404})
	if all := decoded[budgetsBody](t, admin.call("GET", path, ""), 200); len(all.Items) != 0 {
		t.Errorf("all %+v", all)
	}
}

// TestOwnBudgets: users see the budgets that limit them, and nothing
// of other people.
func TestOwnBudgets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.client(s.user("ada@example.org", agent.RoleAdmin))
	ben := s.user("ben@example.org", agent.RoleUser)
	eve := s.user("eve@example.org", agent.RoleUser)
	group := "Research"
	s.ok(s.db.PatchUser(t.Context(), ben.ID, agent.UserPatch{Group: &group}))
	for _, body := range []string{
		`{"who":"everybody","window":"month","limitMicros":10000000}`, `{"who":"user","window":"day","limitTokens":500000}`,
		`{"who":"user","subject":"eve@example.org","window":"week","limitTokens":1234000}`, `{"who":"group","subject":"Research","window":"week","limitTokens":777000}`,
		`{"who":"group","subject":"Sales","window":"week","limitTokens":888000}`, `{"who":"run","limitMicros":500000,"atLimit":"stop"}`,
	} {
		admin.call("POST", "/api/v1/budgets", body).check(t, want{status: 201})
	}
	own := s.client(ben).call("GET", "/api/v1/budgets", "")
	own.check(t, want{status: 200, has: []string{"777000", "500000"}, hasNot: []string{"eve@", eve.ID, "1234000", "888000", "ada@example.org"}})
	if all := decoded[budgetsBody](t, own, 200); len(all.Items) != 4 || all.Items[1].Standings[0].SubjectName != "ben@example.org" {
		t.Errorf("own %+v", all)
	}
	_, month := agent.SpanMonth.Window(s.clock.Now(), time.UTC)
	s.as(ben).get("/settings/usage").check(t, want{
		status: 200,
		has:    []string{"Your budgets", "Everyone, per month", "You, per day", "Group Research, per week", "777k", "Each run", "$0.50", month.Format("2 January 15:04")},
		hasNot: []string{"eve@", "Sales", "ada@", "/admin/budgets"},
	})
	s.as(eve).get("/settings/usage").check(t, want{status: 200, has: []string{"You, per week"}, hasNot: []string{"Research"}})
}

// TestBudgetsPage: the forms work without scripts, keep what was typed, and say
// at which field what is wrong.
func TestBudgetsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	b.get("/admin/budgets").check(t, want{status: 200, has: []string{"No budgets yet", "/admin/budgets?example=everybody", "budget.run_tokens", "months: UTC"}})
	b.get("/admin/budgets?example=run").check(t, want{status: 200, has: []string{`value="0.50"`, `<option value="run" selected>`}})

	typed := form("who", "user", "email", "nobody@example.org", "window", "week", "limitMicros", "12,50", "limitTokens", "a few", "soft", "false", "atLimit", "stop")
	b.post("/admin/budgets", typed).check(t, want{
		status: 422, has: []string{`value="12,50"`, `value="a few"`, `value="nobody@example.org"`, `id="budget-dollars-error"`, `name="limitMicros" type="text" value="12,50" autocomplete="off" autofocus`, "such as 5 or 0.50", `id="budget-tokens-error"`, `<option value="week" selected>`},
	})
	typed.Set("limitMicros", "$12.50")
	typed.Set("limitTokens", "1.5M")
	b.post("/admin/budgets", typed).check(t, want{status: 422, has: []string{`id="budget-email-error"`, "there is no account for nobody@example.org"}})
	typed.Set("email", "ada@example.org")
	_, week := agent.SpanWeek.Window(s.clock.Now(), time.UTC)
	b.post("/admin/budgets", typed).check(t, want{status: http.StatusSeeOther, location: "/admin/budgets"})
	b.get("/admin/budgets").check(t, want{
		status: 200, has: []string{"ada@example.org, per week", "$12.50", "1.5M", week.Format("2 January 15:04"), "Stops a run if its next call doesn"}, hasNot: []string{"No budgets yet"},
	})
	b.post("/admin/budgets", typed).check(t, want{status: 409, has: []string{"There is already a budget", `value="$12.50"`}})

	all, err := s.db.Budgets(t.Context())
	s.ok(err)
	if len(all) != 1 || all[0].LimitMicros != 12_500_000 || all[0].LimitTokens != 1_500_000 {
		t.Fatalf("saved %+v", all)
	}
	one := "/admin/budgets/" + all[0].ID
	b.get("/admin/budgets?edit="+all[0].ID).check(t, want{status: 200, has: []string{"Edit “ada@example.org, per week”", `value="12.50"`, `value="1500000"`}, hasNot: []string{`name="who"`}})
	b.post(one, form("limitTokens", "", "limitMicros", "", "soft", "true")).check(t, want{status: 422, has: []string{"a budget needs a limit", `action="` + one + `"`}})
	b.post(one, form("limitTokens", "20k", "limitMicros", "0.000001", "soft", "true")).check(t, want{status: http.StatusSeeOther, location: "/admin/budgets"})
	b.get("/admin/budgets").check(t, want{status: 200, has: []string{"soft", "never blocks", "20k", "$0.0000"}})
	b.post(one+"/end", nil).check(t, want{status: http.StatusSeeOther, location: "/admin/budgets"})
	b.post(one+"/end", nil).check(t, want{status: 404, has: []string{"This budget doesn’t exist or has been deleted."}})
	b.post(one, form("limitTokens", "1")).check(t, want{status: 404})
}

// TestBudgetChangedByTwo: who saves a form that was opened before another admin
// saved theirs is told, keeps what was typed, and decides.
func TestBudgetChangedByTwo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, bob := s.as(s.user("ada@example.org", agent.RoleAdmin)), s.as(s.user("bob@example.org", agent.RoleAdmin))
	ada.post("/admin/budgets", form("who", "everybody", "window", "month", "limitMicros", "5", "soft", "false", "atLimit", "pause")).
		check(t, want{status: http.StatusSeeOther, location: "/admin/budgets"})
	all, err := s.db.Budgets(t.Context())
	s.ok(err)
	one := "/admin/budgets/" + all[0].ID
	terms := func(body string) string {
		found := regexp.MustCompile(`name="terms" value="([^"]*)"`).FindStringSubmatch(body)
		if found == nil {
			t.Fatal("the form does not say what it shows")
		}
		return found[1]
	}
	typed := form("limitMicros", "6", "soft", "false", "atLimit", "stop", "terms", terms(ada.get("/admin/budgets?edit="+all[0].ID).body))
	bob.post(one, form("limitMicros", "20", "soft", "false", "atLimit", "pause", "terms", typed.Get("terms"))).check(t, want{status: http.StatusSeeOther, location: "/admin/budgets"})
	refused := ada.post(one, typed)
	refused.check(t, want{status: http.StatusConflict, has: []string{"Someone else changed this budget", "It now blocks at $20.00.", `value="6"`, `<option value="stop" selected>`}})
	if b, err := s.db.Budget(t.Context(), all[0].ID); err != nil || b.LimitMicros != 20_000_000 {
		t.Errorf("after the refusal %+v, %v", b, err)
	}
	typed.Set("terms", terms(refused.body))
	ada.post(one, typed).check(t, want{status: http.StatusSeeOther, location: "/admin/budgets"})
	if b, err := s.db.Budget(t.Context(), all[0].ID); err != nil || b.LimitMicros != 6_000_000 || b.AtLimit != agent.LimitStop {
		t.Errorf("at last %+v, %v", b, err)
	}
}

// TestWhoIsWaitedFor: a card about a budget that an admin has set tells its owner
// that an admin is waited for; a reviewer cannot raise it.
func TestWhoIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	card := budgetCard()
	card.Risk, card.BudgetID = agent.RiskHigh, "b1"
	card.Evidence = json.RawMessage(`{"budgetId":"b1","scope":"user_day","usedTokens":13500,"limitTokens":15000,"nextStepTokens":4500}`)
	set := s.paused(ana, "of an admin", card)
	card = budgetCard()
	card.Risk = agent.RiskHigh
	own := s.paused(ana, "its own", card)
	b := s.as(ana)
	for _, path := range []string{"/approvals/" + set.ID, "/c/" + set.ConversationID} {
		b.get(path).check(t, want{status: http.StatusOK, has: []string{"Only an admin can raise"}, hasNot: []string{"Waiting for a reviewer"}})
	}
	b.get("/approvals/"+own.ID).check(t, want{status: http.StatusOK, has: []string{"Waiting for a reviewer"}, hasNot: []string{"Only an admin can raise"}})
	s.as(s.user("rex@example.org", agent.RoleReviewer)).get("/approvals/"+set.ID).check(t, want{status: http.StatusOK, has: []string{"Only an admin can raise this budget."}})
}

// TestRaiseThatCannotBeRead: the field says what is wrong, in words for people,
// and keeps what was typed; tokens are typed as in the form of a budget.
func TestRaiseThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	card := budgetCard()
	card.Evidence = json.RawMessage(`{"scope":"run_cost","usedMicros":4900000,"limitMicros":5000000,"nextStepTokens":4500,"nextStepMicros":200000}`)
	money := s.paused(ana, "money", card)
	b.get("/approvals/" + money.ID)
	for _, typed := range []string{"5,00", "1e999", "NaN", "-1", "1.234.567", "٥", "999999999999"} {
		b.post("/approvals/"+money.ID+"/decision", form("decision", "resume", "raise_usd", typed)).check(t, want{
			status: http.StatusUnprocessableEntity, has: []string{`value="` + typed + `"`, "field-error"}, hasNot: []string{"raise_usd:", "raiseMicrosBy"},
		})
	}
	tokens := s.paused(ana, "tokens", budgetCard())
	b.get("/approvals/" + tokens.ID)
	b.post("/approvals/"+tokens.ID+"/decision", form("decision", "resume", "raise_tokens_by", "a few")).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{`value="a few"`}, hasNot: []string{"raise_tokens_by:"},
	})
	b.post("/approvals/"+tokens.ID+"/decision", form("decision", "resume", "raise_tokens_by", " 20k ")).check(t, want{status: http.StatusSeeOther, location: "/approvals/" + tokens.ID})
	a, err := s.db.Approval(t.Context(), agent.Viewer{UserID: ana.ID, Role: agent.RoleAdmin}, tokens.ID)
	s.ok(err)
	if a.RaiseTokensBy != 20_000 {
		t.Errorf("raised by %d", a.RaiseTokensBy)
	}
}
