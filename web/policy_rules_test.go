package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/policy"
	"fusebox/web"
)

type ruleBody struct {
	agent.PolicyRule
	State     agent.PolicyState
	Suspended agent.PolicySuspension
}

type rulesBody struct {
	Items  []ruleBody
	Config []agent.PolicyRule
}

// listedTool is the one tool, where all of them are listed too.
type listedTool struct{ oneTool }

func (l listedTool) Specs() []agent.ToolSpec {
	spec, _ := l.Lookup("run_shell")
	return []agent.ToolSpec{spec}
}

// policySite is a site whose configuration has a rule.
func policySite(t *testing.T) *site {
	t.Helper()
	config := agent.PolicyRule{ID: "go-tests", Tool: "run_shell", Args: agent.Pattern{"command": "go test *"}, Action: agent.ActionAllow, Source: agent.RuleFromConfig}
	return newSite(t, func(o *web.Options) {
		o.Tools = listedTool{}
		o.PolicyRules, o.Approvals.Policy = []agent.PolicyRule{config}, policy.New(config)
	})
}

func TestPolicyRulesOverTheAPI(t *testing.T) {
	t.Parallel()
	s := policySite(t)
	admin := s.client(s.user("ada@example.org", agent.RoleAdmin))
	const path = "/api/v1/policy/rules"
	made := decoded[ruleBody](t, admin.call("POST", path, `{"tool":" run_shell ","args":{"command":"git push *"},"who":"role:user","action":"deny",
		"priority":7,"reason":"By hand.","expiresAt":"2099-01-01T00:00:00+01:00"}`), 201)
	if made.Tool != "run_shell" || made.CreatedBy != "ada@example.org" || made.Source != agent.RuleFromAdmin ||
		made.State != agent.PolicyInForce || !made.ExpiresAt.Equal(time.Date(2098, 12, 31, 23, 0, 0, 0, time.UTC)) {
		t.Errorf("made %+v", made)
	}
	test := func(body string) string { return admin.call("POST", "/api/v1/policy/test", body).body }
	push := `{"tool":"run_shell","args":{"command":"git push origin"}}`
	s.user("bob@example.org", agent.RoleUser)
	for body, want := range map[string]string{
		push: `"action":"ask","risk":"high","rule":"effect-exec"`,
		strings.Replace(push, `{"tool"`, `{"owner":"BOB@example.org","tool"`, 1): `"action":"deny","risk":"high","rule":"rule:` + made.ID + `","reason":"By hand."`,
		strings.Replace(push, `git push origin`, `go test ./...`, 1):             `"action":"allow","risk":"high","rule":"config:go-tests"`,
		strings.Replace(push, `{"tool"`, `{"mode":"yolo","tool"`, 1):             `"action":"allow"`,
		strings.Replace(push, `git push origin`, `git status -s`, 1):             `"pattern":{"command":"git status *"}`,
		`{"tool":"nope"}`:                          `there is no tool with this name; allowed: run_shell`,
		`{"tool":"run_shell","args":"x"}`:          `"field":"args"`,
		`{"tool":"run_shell","mode":"brave"}`:      `"field":"mode"`,
		`{"tool":"run_shell","owner":"eve@x.org"}`: `"field":"owner"`,
	} {
		if got := test(body); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}

	changed := decoded[ruleBody](t, admin.call("PUT", path+"/"+made.ID, `{"tool":"run_shell","action":"ask"}`), 200)
	if changed.ID == made.ID || changed.Action != agent.ActionAsk || changed.Reason != "" || !changed.ExpiresAt.IsZero() {
		t.Errorf("changed into %+v", changed)
	}
	all := decoded[rulesBody](t, admin.call("GET", path, ""), 200)
	if len(all.Items) != 2 || all.Items[0].ID != changed.ID || all.Items[1].State != agent.PolicyRevoked || all.Items[1].RevokedBy != "ada@example.org" ||
		len(all.Config) != 1 || all.Config[0].ID != "go-tests" {
		t.Errorf("all %+v", all)
	}
	if in := decoded[rulesBody](t, admin.call("GET", path+"?state=in_force", ""), 200); len(in.Items) != 1 || in.Items[0].ID != changed.ID {
		t.Errorf("in force %+v", in.Items)
	}
	if got := admin.call("DELETE", path+"/"+changed.ID, ""); got.status != 204 {
		t.Errorf("delete: %d %s", got.status, got.body)
	}
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		has                      string
	}{
		{"revoking twice", "DELETE", "/" + changed.ID, "", 409, "already revoked by ada@example.org"},
		{"revoking nothing", "DELETE", "/nope", "", 404, "no such rule"},
		{"changing what was revoked", "PUT", "/" + made.ID, `{"action":"ask"}`, 409, "already revoked"},
		{"changing nothing", "PUT", "/nope", `{"action":"ask"}`, 404, "no such rule"},
		{"nothing said", "POST", "", `{}`, 422, `"field":"action"`},
		{"everything allowed", "POST", "", `{"action":"allow"}`, 422, "needs a condition"},
		{"an argument that is no glob", "POST", "", `{"action":"ask","args":{"a":1}}`, 400, "expected a text"},
		{"a priority that is no number", "POST", "", `{"action":"ask","priority":"1"}`, 400, `"field":"priority"`},
		{"a time that is none", "POST", "", `{"action":"ask","expiresAt":"soon"}`, 422, `"field":"expiresAt"`},
		{"a time that is over", "POST", "", `{"action":"ask","expiresAt":"2020-01-01T00:00:00Z"}`, 422, "is in the past"},
		{"a state that is none", "GET", "?state=gone", "", 400, `"field":"state"`},
	} {
		if got := admin.call(tc.method, path+tc.path, tc.body); got.status != tc.status || !strings.Contains(got.body, tc.has) {
			t.Errorf("%s: %d %s, want %d with %s", tc.name, got.status, got.body, tc.status, tc.has)
		}
	}
	audit := admin.call("GET", "/api/v1/audit", "").body
	for _, action := range []string{"policy.rule.add", "policy.rule.change", "policy.rule.revoke"} {
		if !strings.Contains(audit, `"action":"`+action+`"`) {
			t.Errorf("the audit log lacks %s: %s", action, audit)
		}
	}
}

// TestReviewersRevokeWhatApprovalsMade and nothing else.
func TestReviewersRevokeWhatApprovalsMade(t *testing.T) {
	t.Parallel()
	s := policySite(t)
	s.user("ada@example.org", agent.RoleAdmin)
	rex := s.client(s.user("rex@example.org", agent.RoleReviewer))
	for _, r := range []agent.PolicyRule{
		{ID: "of-admin", Tool: "run_shell", Action: agent.ActionAsk, Source: agent.RuleFromAdmin},
		{ID: "of-approval", Tool: "run_shell", Action: agent.ActionAllow, Source: agent.RuleFromApproval},
	} {
		s.ok(s.db.AddPolicyRule(t.Context(), agent.Viewer{Email: "x"}, r))
	}
	for path, status := range map[string]int{"of-admin": http.StatusForbidden, "of-approval": http.StatusNoContent, "nope": http.StatusNotFound} {
		if got := rex.call("DELETE", "/api/v1/policy/rules/"+path, ""); got.status != status {
			t.Errorf("%s: %d %s, want %d", path, got.status, got.body, status)
		}
	}
	if all := decoded[rulesBody](t, rex.call("GET", "/api/v1/policy/rules?state=in_force", ""), 200); len(all.Items) != 1 || all.Items[0].ID != "of-admin" {
		t.Errorf("left %+v", all.Items)
	}
}

// TestRulesOfWhoLostTheRight: a rule from an approval is not in force, and says why, while
// the person who approved may not do so, or can still undo it.
func TestRulesOfWhoLostTheRight(t *testing.T) {
	t.Parallel()
	s := policySite(t)
	rex, ada := s.user("rex@example.org", agent.RoleReviewer), s.user("ada@example.org", agent.RoleAdmin)
	api, browser := s.client(ada), s.as(ada)
	for _, r := range []agent.PolicyRule{
		{ID: "standing", CreatedAt: agent.Stamp(s.clock)}, {ID: "undoable", CreatedAt: agent.Stamp(s.clock).Add(time.Minute)},
	} {
		r.Tool, r.Action, r.Source, r.ApprovalID, r.CreatedBy = "run_shell", agent.ActionAllow, agent.RuleFromApproval, "a1", rex.Email
		s.ok(s.db.AddPolicyRule(t.Context(), agent.Viewer{Email: rex.Email}, r))
	}
	listed := func(state agent.PolicyState) string {
		var all []string
		for _, r := range decoded[rulesBody](t, api.call("GET", "/api/v1/policy/rules?state="+string(state), ""), 200).Items {
			if r.State != state {
				t.Errorf("%s is listed as %s and is %s", r.ID, state, r.State)
			}
			all = append(all, strings.TrimSpace(r.ID+" "+string(r.Suspended)))
		}
		return strings.Join(all, ", ")
	}
	if in, not := listed(agent.PolicyInForce), listed(agent.PolicySuspended); in != "standing" || not != "undoable undoable" {
		t.Errorf("in force: %s; suspended: %s", in, not)
	}
	api.call("PATCH", "/api/v1/users/"+rex.ID, `{"role":"user"}`).check(t, want{status: 200})
	if in, not := listed(agent.PolicyInForce), listed(agent.PolicySuspended); in != "" || not != "undoable author_lost_right, standing author_lost_right" {
		t.Errorf("in force: %s; suspended: %s", in, not)
	}
	browser.get("/admin/tools").check(t, want{status: 200, has: []string{
		"No active rules.", "Inactive rules", "suspended: rex@example.org may no longer allow calls permanently", `action="/admin/tools/rules/standing/revoke"`,
	}})
	s.as(ada).asks("zh").get("/admin/tools").check(t, want{status: 200, has: []string{"已暂停：rex@example.org 已无权永久允许调用"}})
	api.call("PATCH", "/api/v1/users/"+rex.ID, `{"role":"reviewer"}`).check(t, want{status: 200})
	browser.get("/admin/tools").check(t, want{status: 200, has: []string{"not active yet: the decision can still be undone"}, hasNot: []string{"suspended: "}})
	s.clock.Advance(time.Minute)
	if in, not := listed(agent.PolicyInForce), listed(agent.PolicySuspended); in != "undoable, standing" || not != "" {
		t.Errorf("in force: %s; suspended: %s", in, not)
	}
}
