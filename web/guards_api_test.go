package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/web"
)

// decoded reads a body that must have come with a status.
func decoded[T any](t *testing.T, got answer, status int) T {
	t.Helper()
	var v T
	if got.status != status {
		t.Fatalf("%d, want %d: %s", got.status, status, got.body)
	}
	if err := json.Unmarshal([]byte(got.body), &v); err != nil {
		t.Fatalf("%v: %s", err, got.body)
	}
	return v
}

type guardsBody struct {
	Detectors []struct {
		Name, Catches                                string
		On                                           bool
		Warnings, Pauses, Stops, Off                 int64
		Tokens, CostMicros, SavedTokens, SavedMicros int64
	}
	Numbers []struct {
		Key, Value, Default, Most, Allowed, Help, Detector string
		Conversations                                      bool
	}
	Rules []agent.GuardRule
}

func TestGuardsOverTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Guards.Off = []string{"model_judge"} })
	admin := s.client(s.user("ada@example.org", agent.RoleAdmin))
	fresh := admin.call("GET", "/api/v1/guards", "")
	g := decoded[guardsBody](t, fresh, 200)
	if len(g.Detectors) != 17 || len(g.Numbers) != len(agent.GuardNumbers) || !strings.Contains(fresh.body, `"rules":[]`) {
		t.Errorf("fresh: %s", fresh.body)
	}
	for _, d := range g.Detectors {
		if d.On != (d.Name != "model_judge") || d.Catches == "" {
			t.Errorf("fresh: %+v", d)
		}
	}
	for _, tc := range []struct{ name, method, path, body, has string }{
		{"a number", "PUT", "numbers/guard.warning", `{"value":" 3 ","most":"6"}`, `"value":"3","default":"5","most":"6"`},
		{"without its prefix", "PUT", "numbers/max_duration", `{"value":"90s"}`, `"key":"guard.max_duration","value":"1m30s","default":"10m0s"`},
		{"back to the configuration", "PUT", "numbers/guard.max_duration", `{}`, `"value":"10m0s","default":"10m0s","most":""`},
		{"a switch", "PUT", "detectors/cycle", `{"on":false}`, `"name":"cycle","catches":"Three to ten calls that repeat in the same order.","on":false`},
		{"a switch against the configuration", "PUT", "detectors/model_judge", `{"on":true}`, `"on":true`},
	} {
		if got := admin.call(tc.method, "/api/v1/guards/"+tc.path, tc.body); got.status != 200 || !strings.Contains(got.body, tc.has) {
			t.Errorf("%s: %d %s, want %q", tc.name, got.status, got.body, tc.has)
		}
	}
	made := decoded[agent.GuardRule](t, admin.call("POST", "/api/v1/guards/rules", `{"tool":" check_job ","polling":true,"identity":["id"," ","id"],"volatile":["at"],"warning":4,"critical":9}`), 201)
	if made.Tool != "check_job" || !made.Polling || len(made.Identity) != 1 || made.State != agent.RuleActive || made.Actor != "ada@example.org" {
		t.Errorf("made %+v", made)
	}
	g = decoded[guardsBody](t, admin.call("GET", "/api/v1/guards", ""), 200)
	if len(g.Rules) != 1 || g.Rules[0].ID != made.ID || g.Numbers[1].Value != "3" || g.Numbers[1].Most != "6" || !g.Numbers[1].Conversations {
		t.Errorf("after: %+v", g)
	}
	if got := admin.call("DELETE", "/api/v1/guards/rules/"+made.ID, ""); got.status != 204 {
		t.Errorf("delete: %d %s", got.status, got.body)
	}
	audit := admin.call("GET", "/api/v1/audit", "").body
	for _, action := range []string{"guard.number", "guard.switch", "guard.rule", "guard.dismiss"} {
		if !strings.Contains(audit, `"actor":"ada@example.org","action":"`+action+`"`) {
			t.Errorf("the audit log lacks %s: %s", action, audit)
		}
	}
}

func TestGuardsRefuse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.client(s.user("ada@example.org", agent.RoleAdmin))
	gone := decoded[agent.GuardRule](t, admin.call("POST", "/api/v1/guards/rules", `{"tool":"gone","polling":true}`), 201)
	held := decoded[agent.GuardRule](t, admin.call("POST", "/api/v1/guards/rules", `{"tool":"held","polling":true}`), 201)
	admin.call("DELETE", "/api/v1/guards/rules/"+gone.ID, "")
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		has                      []string
	}{
		{"an unknown number", "PUT", "numbers/guard.nope", `{"value":"3"}`, 404, []string{"Unknown setting"}},
		{"a value out of bounds", "PUT", "numbers/guard.warning", `{"value":"1"}`, 422, []string{`"field":"value"`, "2 to 1000"}},
		{"a value against another", "PUT", "numbers/guard.warning", `{"value":"8"}`, 422, []string{`"field":"value"`, "below guard.critical = 8"}},
		{"a most that is none", "PUT", "numbers/guard.warning", `{"most":"many"}`, 422, []string{`"field":"most"`}},
		{"a most that nobody could use", "PUT", "numbers/guard.window", `{"most":"40"}`, 422, []string{`"field":"most"`}},
		{"a number that is no text", "PUT", "numbers/guard.warning", `{"value":3}`, 400, []string{`"field":"value"`, "text"}},
		{"an unknown detector", "PUT", "detectors/nope", `{"on":true}`, 404, []string{"no detector nope"}},
		{"a switch that says nothing", "PUT", "detectors/cycle", `{}`, 422, []string{`"field":"on"`}},
		{"a rule for no tool", "POST", "rules", `{"polling":true}`, 422, []string{`"field":"tool"`}},
		{"a rule that changes nothing", "POST", "rules", `{"tool":"x","identity":[" "]}`, 422, []string{`"field":"rule"`}},
		{"a rule out of bounds", "POST", "rules", `{"tool":"x","warning":1}`, 422, []string{`"field":"warning"`, "2 to 1000"}},
		{"a rule in the wrong order", "POST", "rules", `{"tool":"x","warning":9,"critical":9}`, 422, []string{`"field":"critical"`, "above warning"}},
		{"a tool with a long name", "POST", "rules", `{"tool":"` + strings.Repeat("x", 201) + `","polling":true}`, 422, []string{`"field":"tool"`, "200"}},
		{"accepting what is not there", "POST", "rules/nope/accept", ``, 404, []string{"no such rule"}},
		{"accepting what holds", "POST", "rules/" + held.ID + "/accept", ``, 409, []string{"already active"}},
		{"accepting what was dismissed", "POST", "rules/" + gone.ID + "/accept", ``, 409, []string{"dismissed"}},
		{"dismissing twice", "DELETE", "rules/" + gone.ID, ``, 404, []string{"no such rule"}},
		{"a day that is none", "POST", "backtest", `{"from":"yesterday"}`, 422, []string{`"field":"from"`}},
		{"days in the wrong order", "POST", "backtest", `{"from":"2026-03-02","to":"2026-03-01"}`, 422, []string{`"field":"from"`}},
		{"an unknown number of a backtest", "POST", "backtest", `{"numbers":{"nope":"3"}}`, 422, []string{`"field":"numbers.nope"`}},
		{"a bad number of a backtest", "POST", "backtest", `{"numbers":{"guard.warning":"x"}}`, 422, []string{`"field":"numbers.guard.warning"`}},
		{"numbers against each other", "POST", "backtest", `{"numbers":{"critical":"5"}}`, 422, []string{`"field":"numbers.guard.warning"`, "below"}},
		{"a bad rule of a backtest", "POST", "backtest", `{"rule":{"polling":true}}`, 422, []string{`"field":"rule.tool"`}},
	} {
		got := admin.call(tc.method, "/api/v1/guards/"+tc.path, tc.body)
		if got.status != tc.status || got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d, want %d\n%s", tc.name, got.status, tc.status, got.body)
		}
		for _, text := range tc.has {
			if !strings.Contains(got.body, text) {
				t.Errorf("%s: lacks %q: %s", tc.name, text, got.body)
			}
		}
	}
	without := newSite(t, func(o *web.Options) { o.Backtest = nil })
	if got := without.client(without.user("ada@example.org", agent.RoleAdmin)).call("POST", "/api/v1/guards/backtest", ""); got.status != http.StatusServiceUnavailable {
		t.Errorf("without past runs: %d %s", got.status, got.body)
	}
}

// TestGuardsTakeEffect: what an admin sets applies from the next run on; a
// detector that is off records only.
func TestGuardsTakeEffect(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, owner := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("bob@example.org", agent.RoleUser))
	admin.put(t, "numbers/guard.warning", `{"value":"3"}`)
	admin.put(t, "numbers/guard.critical", `{"value":"4"}`)
	run := owner.run(6)
	card := s.pending(run)
	var ev agent.LoopEvidence
	s.ok(json.Unmarshal(card.Evidence, &ev))
	if run.Status != agent.StatusPaused || ev.Count != 4 || ev.Threshold != 4 {
		t.Fatalf("run %s at %d of %d", run.Status, ev.Count, ev.Threshold)
	}
	if got := owner.levels(t, run.ID, "generic_repeat"); got != "warning critical" {
		t.Errorf("verdicts %q", got)
	}
	owner.call("POST", "/api/v1/approvals/"+card.ID+"/decision", `{"decision":"abort"}`)

	admin.put(t, "detectors/generic_repeat", `{"on":false}`)
	admin.put(t, "detectors/no_progress", `{"on":false}`)
	if run = owner.run(5); run.Status != agent.StatusFinished {
		t.Errorf("switched off, the run is %s (%s)", run.Status, run.StopReason)
	}
	if got := owner.levels(t, run.ID, "generic_repeat"); !strings.HasPrefix(got, "off:warning off:critical") {
		t.Errorf("switched off it recorded %q", got)
	}
	var tokens, saved int64
	for _, d := range decoded[guardsBody](t, admin.call("GET", "/api/v1/guards", ""), 200).Detectors {
		tokens, saved = tokens+d.Tokens, saved+d.SavedTokens
		if d.Name == "generic_repeat" && (d.On || d.Warnings == 0 || d.Pauses != 1 || d.Off == 0) {
			t.Errorf("sums: %+v", d)
		}
	}
	if tokens == 0 || saved == 0 {
		t.Errorf("%d tokens, %d saved of the run that was aborted", tokens, saved)
	}
}

// put changes how the breakers are set.
func (c client) put(t *testing.T, path, body string) {
	t.Helper()
	if got := c.call("PUT", "/api/v1/guards/"+path, body); got.status != 200 {
		t.Fatalf("%s %s: %d %s", path, body, got.status, got.body)
	}
}

// levels are those of a detector's verdicts in a run, as the API tells them.
func (c client) levels(t *testing.T, runID, detector string) string {
	t.Helper()
	var list []string
	for _, v := range decoded[struct{ Items []agent.VerdictRecord }](t, c.call("GET", "/api/v1/runs/"+runID+"/verdicts", ""), 200).Items {
		switch {
		case v.Detector != detector:
		case v.Off:
			list = append(list, "off:"+v.Level)
		default:
			list = append(list, v.Level)
		}
	}
	return strings.Join(list, " ")
}

// TestNotALoopBecomesARule: a decided card, the proposal, the rule in force.
func TestNotALoopBecomesARule(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, owner := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("bob@example.org", agent.RoleUser))
	card := s.pending(owner.run(9))
	path := "/api/v1/approvals/" + card.ID
	if got := owner.call("POST", path+"/not-a-loop", ""); got.status != 409 || !strings.Contains(got.body, "Decide the approval first") {
		t.Errorf("before it is decided: %d %s", got.status, got.body)
	}
	owner.call("POST", path+"/decision", `{"decision":"abort"}`)
	proposed := decoded[agent.GuardRule](t, owner.call("POST", path+"/not-a-loop", ""), 200)
	if proposed.Tool != "look" || proposed.Warning != 8 || proposed.Critical != 16 || proposed.State != agent.RuleProposed || proposed.ApprovalID != card.ID || proposed.Actor != "bob@example.org" {
		t.Errorf("proposed %+v", proposed)
	}
	if got := owner.call("POST", path+"/not-a-loop", ""); got.status != 409 {
		t.Errorf("twice: %d %s", got.status, got.body)
	}
	if got := owner.call("GET", path, ""); !strings.Contains(got.body, `"notLoop":true`) {
		t.Errorf("the card does not say so: %s", got.body)
	}
	accepted := decoded[agent.GuardRule](t, admin.call("POST", "/api/v1/guards/rules/"+proposed.ID+"/accept", ""), 200)
	config, err := s.db.GuardConfig(t.Context())
	s.ok(err)
	if rule := config.Rule("look"); accepted.State != agent.RuleActive || rule.Warning != 8 || rule.Critical != 16 {
		t.Errorf("accepted %+v, config %+v", accepted, config)
	}
	if run := owner.run(9); run.Status != agent.StatusFinished {
		t.Errorf("with the rule the run is %s (%s)", run.Status, run.StopReason)
	}
}

func TestBacktestOverTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, owner := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("bob@example.org", agent.RoleUser))
	run := owner.run(7)
	for _, tc := range []struct{ name, body, has string }{
		{"as it is", `{}`, `"runs":1,"calls":7,"still":0,"new":[],"gone":[],"more":false`},
		{"tighter", `{"numbers":{"critical":"6"}}`, `"new":[{"runId":"` + run.ID + `"`},
		{"tighter, but for the tool", `{"numbers":{"critical":"6"},"rule":{"tool":"look","critical":20}}`, `"new":[]`},
		{"other days", `{"from":"2020-01-01","to":"2020-01-31"}`, `"runs":0,`},
		{"up to today", `{"to":"` + s.clock.Now().UTC().Format(time.DateOnly) + `"}`, `"runs":1,`},
	} {
		if got := admin.call("POST", "/api/v1/guards/backtest", tc.body); got.status != 200 || !strings.Contains(got.body, tc.has) {
			t.Errorf("%s: %d %s, want %s", tc.name, got.status, got.body, tc.has)
		}
	}
}

// TestNotALoopIsForWhoMayDecide: and only of loop cards.
func TestNotALoopIsForWhoMayDecide(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rex := s.user("ana@example.org", agent.RoleUser), s.client(s.user("rex@example.org", agent.RoleReviewer))
	other := s.client(s.user("eve@example.org", agent.RoleUser))
	high := loopCard()
	high.Risk = agent.RiskHigh
	card, shell := s.paused(ana, "a", high), s.paused(ana, "b", shellCard(agent.RiskLow, "ls"))
	text := loopCard()
	text.ToolName, text.Args, text.Evidence = "", nil, json.RawMessage(`{"detector":"repeated_answer","count":3,"threshold":3,"text":"I see"}`)
	said := s.paused(ana, "c", text)
	for _, id := range []string{card.ID, said.ID} {
		if got := rex.call("POST", "/api/v1/approvals/"+id+"/decision", `{"decision":"abort"}`); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	for _, tc := range []struct {
		name   string
		by     client
		id     string
		status int
		has    string
	}{
		{"a stranger", other, card.ID, 404, ""},
		{"its owner, of high risk", s.client(ana), card.ID, 403, "may decide"},
		{"another kind", rex, shell.ID, 409, "not about a loop"},
		{"a card about no call", rex, said.ID, 200, "null"},
		{"a reviewer", rex, card.ID, 200, `"tool":"get_weather"`},
	} {
		if got := tc.by.call("POST", "/api/v1/approvals/"+tc.id+"/not-a-loop", ""); got.status != tc.status || !strings.Contains(got.body, tc.has) {
			t.Errorf("%s: %d %s, want %d with %q", tc.name, got.status, got.body, tc.status, tc.has)
		}
	}
	rules, err := s.db.GuardRules(t.Context())
	s.ok(err)
	if len(rules) != 1 {
		t.Errorf("rules %+v, want the one about a call", rules)
	}
}
