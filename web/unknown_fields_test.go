package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// TestUnknownFieldsAreNamed: a request with a field that is not taken is refused by that
// field's name and with those that are, wherever it stands, and nothing is done.
func TestUnknownFieldsAreNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("admin@example.org", agent.RoleAdmin))
	id := c.conversation()
	for _, tc := range []struct{ method, path, body, field, allowed string }{
		{"POST", "/api/v1/conversations", `{"titel":"Trip"}`, "titel", "title, "},
		{"PATCH", "/api/v1/conversations/" + id, `{"title":"Trip","approval_mode":"yolo"}`, "approval_mode", "approvalMode"},
		{"POST", "/api/v1/conversations/" + id + "/messages", `{"content":"Hi","stream":true}`, "stream", "content, clientId"},
		{"POST", "/api/v1/approvals/none/decision", `{"decision":"approve","argHash":"x"}`, "argHash", "argsHash"},
		{"POST", "/api/v1/approvals/bulk", `{"decision":"reject","items":[{"id":"a","generation":1},{"id":"b","gen":1}]}`, "items[1].gen", "id, generation, argsHash"},
		{"POST", "/api/v1/budgets", `{"who":"user","window":"day","limit":9}`, "limit", "limitTokens"},
		{"POST", "/api/v1/budgets", `{"who":"user","window":"day","limitTokens":9,"createdBy":"eve"}`, "createdBy", "limitTokens"},
		{"POST", "/api/v1/policy/rules", `{"action":"ask","id":"mine"}`, "id", "tool"},
		{"PUT", "/api/v1/chat-rules", `{"maxTokens":1}`, "maxTokens", "maxRunTokens"},
		{"POST", "/api/v1/policy/rules", `{"action":"ask","tools":["x"]}`, "tools", "tool"},
		{"POST", "/api/v1/policy/test", `{"tool":"run_shell","arguments":{}}`, "arguments", "args"},
		{"PUT", "/api/v1/prices", `{"provider":"p","model":"m","input":1,"output":1,"cache":1}`, "cache", "cached"},
		{"POST", "/api/v1/tokens", `{"name":"t","scope":"read"}`, "scope", "scopes"},
		{"PATCH", "/api/v1/memories", `{"enabled":true}`, "enabled", "on"},
	} {
		t.Run(tc.path+" "+tc.field, func(t *testing.T) {
			got := c.call(tc.method, tc.path, tc.body)
			got.check(t, want{status: http.StatusBadRequest, has: []string{`"field":"` + tc.field + `"`, "is not a field of this request; allowed: ", tc.allowed}})
		})
	}
	if got := c.call("GET", "/api/v1/conversations/"+id, ""); strings.Contains(got.body, "Trip") {
		t.Errorf("a refused change was made: %s", got.body)
	}
}

// TestFreeFieldsStay: what a request takes by names of the caller's own is no unknown field.
func TestFreeFieldsStay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("admin@example.org", agent.RoleAdmin))
	for path, body := range map[string]string{
		"/api/v1/conversations/" + c.conversation() + "/messages": `{"content":"Hi","outputs":{"city":"string"},"outputPurposes":{"city":"where"}}`,
		"/api/v1/policy/test": `{"tool":"run_shell","args":{"command":"ls","any":{"thing":1}}}`,
	} {
		if got := c.call("POST", path, body); got.status >= 300 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// noValue are fields without a value that are no lists.
var noValue = strings.NewReplacer(`"price":null`, "", `"validFrom":null`, "")

// TestEmptyListsAreLists: a list without entries is [], never null.
func TestEmptyListsAreLists(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("admin@example.org", agent.RoleAdmin))
	id, seen := c.conversation(), 0
	for _, d := range web.Doors() {
		if d.Method != http.MethodGet || !strings.HasPrefix(d.Path, "/api/v1/") || strings.Contains(d.Path, "/events") || strings.Contains(d.Path, ":") && d.Owns != "conversation" {
			continue
		}
		got := c.call("GET", strings.ReplaceAll(d.Path, ":id", id), "")
		var body any
		if got.status != http.StatusOK || json.Unmarshal([]byte(got.body), &body) != nil {
			continue
		}
		seen++
		if strings.Contains(noValue.Replace(got.body), ":null") || strings.TrimSpace(got.body) == "null" {
			t.Errorf("%s answers %s", d.Path, got.body)
		}
	}
	if seen < 15 {
		t.Errorf("%d lists were read", seen)
	}
	c.call("GET", "/api/v1/conversations/"+id+"/messages", "").check(t, want{status: http.StatusOK, has: []string{`{"items":[]}`}})
}
