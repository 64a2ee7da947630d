package web_test

import (
	"strings"
	"testing"

	"fusebox/agent"
)

func TestConversationsSetTheirOwnNumbers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, owner := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("bob@example.org", agent.RoleUser))
	admin.call("PUT", "/api/v1/guards/numbers/guard.max_steps", `{"most":"80"}`)
	made := owner.call("POST", "/api/v1/conversations", `{"guards":{"warning":"3","guard.max_steps":"70"},"outputs":{"answer":"string"}}`)
	conv := decoded[agent.Conversation](t, made, 201)
	if conv.Guards["guard.warning"] != "3" || conv.Guards["guard.max_steps"] != "70" || len(conv.Guards) != 2 || conv.Outputs["answer"] != "string" {
		t.Errorf("made %s", made.body)
	}
	path := "/api/v1/conversations/" + conv.ID
	for _, tc := range []struct {
		name, body string
		status     int
		has        string
	}{
		{"more than is allowed", `{"guards":{"guard.warning":"6"}}`, 422, `"field":"guards.guard.warning"`},
		{"more than the admin's most", `{"guards":{"max_steps":"81"}}`, 422, `at most 80`},
		{"a number of the admins", `{"guards":{"guard.window":"20"}}`, 422, `"field":"guards.guard.window"`},
		{"no number", `{"guards":{"warning":"few"}}`, 422, `"field":"guards.warning"`},
		{"against each other", `{"guards":{"critical":"4"}}`, 422, `"field":"guards.critical"`},
		{"twice", `{"guards":{"critical":"7","guard.critical":"8"}}`, 422, `"field":"guards.guard.critical"`},
		{"no type", `{"outputs":{"answer":"text"}}`, 422, `"field":"outputs.answer"`},
		{"the wrong kind", `{"guards":{"warning":3}}`, 400, `"field":"guards`},
		{"cleared", `{"guards":{},"outputs":{}}`, 200, `"title":"`},
		{"a patch", `{"guards":{"warning":"3","critical":"4"},"outputs":{"n":"integer"}}`, 200, `"guards":{"guard.critical":"4","guard.warning":"3"},"outputs":{"n":"integer"}`},
		{"what is not named stays", `{"title":"x"}`, 200, `"guards":{"guard.critical":"4","guard.warning":"3"},"outputs":{"n":"integer"}`},
	} {
		if got := owner.call("PATCH", path, tc.body); got.status != tc.status || !strings.Contains(got.body, tc.has) {
			t.Errorf("%s: %d %s, want %d with %s", tc.name, got.status, got.body, tc.status, tc.has)
		}
	}
	if got := owner.call("POST", path+"/messages", `{"content":"go","outputs":{"m":"set"}}`); got.status != 422 || !strings.Contains(got.body, `"field":"outputs.m"`) {
		t.Errorf("a bad output: %d %s", got.status, got.body)
	}
	posted := decoded[agent.Enqueued](t, owner.call("POST", path+"/messages", `{"content":"go","outputs":{"m":"array"}}`), 202)
	if got := owner.call("GET", "/api/v1/runs/"+posted.RunID, ""); !strings.Contains(got.body, `"outputs":{"m":"array","n":"integer"}`) || strings.Contains(got.body, `"values"`) {
		t.Errorf("the run: %s", got.body)
	}
}
