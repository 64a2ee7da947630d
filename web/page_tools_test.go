package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"fusebox/agent"
)

func TestToolsPage(t *testing.T) {
	t.Parallel()
	s := policySite(t)
	admin := s.as(s.user("ada@example.org", agent.RoleAdmin))
	admin.get("/admin/tools").check(t, want{status: 200, has: []string{
		`href="/admin/tools" aria-current="page"`, `id="tool-run_shell"`, "No active rules.", "config:go-tests",
		"If command matches “go test *”.", "Save rule", "Nothing runs.",
	}, hasNot: []string{"Decided by", "style=", "<script>", "Inactive rules"}})

	done := want{status: http.StatusSeeOther, location: "/admin/tools#rules-people"}
	admin.post("/admin/tools/rules", form("action", "deny", "tool", "write_*", "args", "path = secret/**\r\n\r\nforce=true\n", "who", "role:user",
		"mode", "yolo", "priority", " -5 ", "setRisk", "high", "reason", "By <hand>.", "expiresAt", "2099-01-01T10:30")).check(t, done)
	rules, err := s.db.PolicyRules(t.Context())
	s.ok(err)
	if len(rules) != 1 || rules[0].Args["force"] != "true" || rules[0].Args["path"] != "secret/**" || rules[0].Priority != -5 || rules[0].ExpiresAt.Format("2006-01-02T15:04") != "2099-01-01T10:30" {
		t.Fatalf("stored %+v", rules)
	}
	id := rules[0].ID
	admin.get("/admin/tools").check(t, want{status: 200, has: []string{
		"Rule saved. It’s active now.", "rule:" + id, "If path matches “secret/**”.", "For everyone with the role user.", "In the mode “Ask only for critical actions”.",
		"Raises the risk to high.", "Priority -5.", "“By &lt;hand&gt;.”", "by ada@example.org", "expires ", `action="/admin/tools/rules/` + id + `/revoke"`,
	}})
	admin.get("/admin/tools?edit="+id).check(t, want{status: 200, has: []string{
		"Edit rule", `action="/admin/tools/rules/` + id + `"`, "force = true\npath = secret/**", `value="2099-01-01T10:30"`, `value="-5"`,
		`<option value="deny" selected>`,
	}})
	admin.get("/admin/tools?edit=nope").check(t, want{status: 404})

	admin.post("/admin/tools/rules/"+id, form("action", "ask", "tool", "write_file")).check(t, done)
	rules, err = s.db.PolicyRules(t.Context())
	s.ok(err)
	if len(rules) != 1 || rules[0].ID == id || rules[0].Action != agent.ActionAsk || len(rules[0].Args) != 0 {
		t.Errorf("changed into %+v", rules)
	}
	admin.post("/admin/tools/rules/"+id, form("action", "ask")).check(t, want{status: 409, has: []string{"already revoked by ada@example.org"}})
	admin.post("/admin/tools/rules/"+rules[0].ID+"/revoke", nil).check(t, done)
	admin.post("/admin/tools/rules/"+rules[0].ID+"/revoke", nil).check(t, want{status: 409, has: []string{"already revoked"}})
	admin.get("/admin/tools").check(t, want{status: 200, has: []string{"No active rules.", "Inactive rules", "revoked by ada@example.org"}})
}

// TestRuleFormKeepsWhatWasTyped and says at each field what is wrong with it.
func TestRuleFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := policySite(t)
	admin := s.as(s.user("ada@example.org", agent.RoleAdmin))
	for _, tc := range []struct {
		form url.Values
		has  []string
	}{
		{form("action", "ask", "priority", "many", "args", "path"), []string{"Enter a whole number.", `value="many"`, "Write each line as field = pattern. This one isn’t: path", ">path</textarea>"}},
		{form("action", "ask", "args", "a = 1\na = 2"), []string{"a appears twice"}},
		{form("action", "allow", "reason", "All of it."), []string{"needs a condition", `value="All of it."`, `<option value="allow" selected>`}},
		{form("action", "ask", "who", "role:king", "expiresAt", "2020-01-01T00:00"), []string{"names an unknown role", `value="2020-01-01T00:00"`}},
		{form("action", "ask", "expiresAt", "2020-01-01T00:00"), []string{"is in the past"}},
		{form("action", "ask", "tool", "x", "expiresAt", "soon"), []string{"is not a time", `value="soon"`}},
		{form("tool", "x"), []string{"is not allowed; allowed: allow, ask, deny", `value="x"`}},
	} {
		admin.post("/admin/tools/rules", tc.form).check(t, want{status: 422, has: append(tc.has, "The rule wasn’t saved.", `href="#rule-form"`)})
	}
	if rules, err := s.db.PolicyRules(t.Context()); err != nil || len(rules) != 0 {
		t.Errorf("in force: %+v, %v", rules, err)
	}
}

func TestTryACallOnThePage(t *testing.T) {
	t.Parallel()
	s := policySite(t)
	admin := s.as(s.user("ada@example.org", agent.RoleAdmin))
	try := func(pairs ...string) answer { return admin.get("/admin/tools?" + form(pairs...).Encode()) }
	try("tool", "run_shell", "args", `{"command":"go test ./..."}`).check(t, want{status: 200, has: []string{
		`href="#rule-config:go-tests"`, "A rule from the configuration allows this call of run_shell.", "high risk", `{&#34;command&#34;:&#34;go test ./...&#34;}</textarea>`,
	}})
	try("tool", "run_shell", "args", `{"command":"git status -s"}`, "mode", "auto_edit").check(t, want{status: 200, has: []string{
		"run_shell runs a program on the server.", "command = git status *", `<option value="auto_edit" selected>`,
	}})
	try("tool", "run_shell", "args", `{"command":`).check(t, want{status: 422, has: []string{"is not a JSON object", `{&#34;command&#34;:</textarea>`}, hasNot: []string{"Decided by"}})
	try("tool", "nope").check(t, want{status: 422, has: []string{"there is no tool with this name"}})
	try("tool", "run_shell", "args", `{"command":"ls"}`, "owner", "eve@example.org").check(t, want{status: 422, has: []string{"no account with this e-mail address"}})
}
