package web_test

import (
	"net/http"
	"testing"

	"fusebox/agent"
)

// TestFieldsAreTaken: what a program sends in a field is what it reads back.
func TestFieldsAreTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	ben := s.user("ben@example.org", agent.RoleUser)
	c := s.client(admin)
	budget := decoded[struct{ ID string }](t, c.call("POST", "/api/v1/budgets", `{"who":"user","window":"day","limitTokens":9}`), http.StatusCreated)
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		has                      []string
	}{
		{
			"a budget with a cheaper model", "POST", "/api/v1/budgets",
			`{"who":"everybody","window":"month","limitTokens":5000,"atLimit":"cheaper","model":"demo"}`, 201,
			[]string{`"model":"demo"`, `"atLimit":"cheaper"`},
		},
		{"a soft budget", "POST", "/api/v1/budgets", `{"who":"everybody","window":"week","limitMicros":5000,"soft":true}`, 201, []string{`"soft":true`}},
		{"its limit in money", "PATCH", "/api/v1/budgets/" + budget.ID, `{"limitMicros":7,"soft":true}`, 200, []string{`"limitMicros":7`, `"soft":true`}},
		{
			"its cheaper model", "PATCH", "/api/v1/budgets/" + budget.ID,
			`{"soft":false,"atLimit":"cheaper","model":"demo"}`, 200, []string{`"model":"demo"`, `"soft":false`},
		},
		{
			"a conversation", "PATCH", "/api/v1/conversations/" + c.conversation(),
			`{"model":"demo","system":"Be brief.","outputMode":"whole","runTokenLimit":5000}`, 200,
			[]string{`"model":"demo"`, `"system":"Be brief."`, `"outputMode":"whole"`, `"runTokenLimit":5000`},
		},
		{"an account", "PATCH", "/api/v1/users/" + ben.ID, `{"role":"reviewer","disabled":true}`, 200, []string{`"role":"reviewer"`, `"disabled":true`}},
		{
			"a price", "PUT", "/api/v1/prices",
			`{"provider":"local","model":"m","input":3,"cached":1,"output":9,"reasoning":7,"validFrom":"2026-01-31"}`, 200,
			[]string{`"provider":"local"`, `"cached":1`, `"reasoning":7`},
		},
		{"the price of one day", "DELETE", "/api/v1/prices?provider=local&model=m&validFrom=2026-01-31", "", 204, nil},
		{
			"a rule", "POST", "/api/v1/policy/rules",
			`{"action":"ask","argsHash":"0123456789abcdef","effect":"write","mode":"default","risk":"low","setRisk":"high"}`, 201,
			[]string{`"argsHash":"0123456789abcdef"`, `"effect":"write"`, `"mode":"default"`, `"risk":"low"`, `"setRisk":"high"`},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c.call(tc.method, tc.path, tc.body).check(t, want{status: tc.status, has: tc.has})
		})
	}
}

// TestMessageAfterAnother: a message names the one that it follows.
func TestMessageAfterAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	c := s.client(ana)
	messages := "/api/v1/conversations/" + s.finished(ana, "a").ConversationID + "/messages"
	type body struct{ Items []agent.Message }
	first := decoded[body](t, c.call("GET", messages, ""), http.StatusOK).Items[0]
	c.call("POST", messages, `{"content":"and then","supersede":true,"parentId":"`+first.ID+`"}`).check(t, want{status: http.StatusAccepted})
	now := decoded[body](t, c.call("GET", messages, ""), http.StatusOK).Items
	if last := now[len(now)-1]; last.Content != "and then" || last.ParentID != first.ID {
		t.Errorf("the branch ends with %+v", last)
	}
}
