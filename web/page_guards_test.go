package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fusebox/agent"
)

// guardsSite has an admin at a browser, and a run of bob that a breaker has
// paused and a person has aborted.
func guardsSite(t *testing.T) (s *site, admin *browser, owner client, card agent.Approval) {
	t.Helper()
	s = newSite(t)
	admin = s.as(s.user("ada@example.org", agent.RoleAdmin))
	owner = s.client(s.user("bob@example.org", agent.RoleUser))
	run := owner.run(9)
	card = s.pending(run)
	owner.call("POST", "/api/v1/approvals/"+card.ID+"/decision", `{"decision":"abort"}`)
	s.advance(run.ID, nil)
	admin.get("/admin/guards")
	return s, admin, owner, card
}

func TestGuardsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.as(s.user("ada@example.org", agent.RoleAdmin))
	admin.get("/admin/guards").check(t, want{status: 200, has: []string{
		`href="/admin/guards" aria-current="page"`, "generic_repeat", "The same call several times in a row", "Switch off…", "no longer warns, pauses, or stops any run", "Estimated savings =",
	}, hasNot: []string{"would have acted:", "<script>", "style=", "guard.warning"}})
	admin.get("/admin/guards/rules").check(t, want{status: 200, has: []string{"No suggestions.", "No tool has its own rule", "Nothing runs and nothing changes"}, hasNot: []string{"style="}})
	admin.get("/admin/guards/thresholds").check(t, want{status: 200, has: []string{
		"guard.warning", "default 5", "a whole number from 2 to 1000", `<label for="most-guard.warning">Max per conversation</label>`,
	}, hasNot: []string{`id="most-guard.window"`, "style="}})

	s, admin, owner, card := guardsSite(t)
	owner.call("POST", "/api/v1/approvals/"+card.ID+"/not-a-loop", "")
	s.ok(s.db.SetGuardSwitch(t.Context(), "x", "cycle", false))
	s.ok(s.db.SaveRule(t.Context(), agent.GuardRule{ID: "r", Actor: "eve@example.org", At: s.clock.Now(), ToolRule: agent.ToolRule{
		Tool: "poll_it", Polling: true, Identity: []string{"id", "path", "x"}, Volatile: []string{"at"}, Warning: 4,
	}}))
	s.ok(s.db.SaveRule(t.Context(), agent.GuardRule{ID: "q", Actor: "eve@example.org", At: s.clock.Now(), ToolRule: agent.ToolRule{Tool: "look", Critical: 9}}))
	admin.get("/admin/guards").check(t, want{status: 200, has: []string{"would have acted: 0", "Switch on: Calls in a repeating cycle", "960 tokens"}})
	admin.get("/admin/guards/rules").check(t, want{status: 200, has: []string{
		`href="/approvals/` + card.ID + `"`, "Marked “Not a loop” by bob@example.org",
		"Warns the model after 8 identical calls and asks a person after 16.", "replace the active rule: Asks a person after 9 identical calls.",
		"Added by eve@example.org", "fine as long as its result changes", "if id, path and x match", "Changes to at in its results don",
		"Warns the model after 4 identical calls.",
	}, hasNot: []string{"No suggestions."}})
}

func TestSwitchesAndNumbersOnThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	done := want{status: http.StatusSeeOther, location: "/admin/guards/thresholds"}
	b.post("/admin/guards/detectors/cycle", form("on", "false")).check(t, want{status: http.StatusSeeOther, location: "/admin/guards"})
	b.get("/admin/guards").check(t, want{status: 200, has: []string{"“Calls in a repeating cycle” is off from the next run", "Switch on: Calls in a repeating cycle"}})
	b.post("/admin/guards/detectors/nope", form("on", "false")).check(t, want{status: 404, has: []string{"no detector nope"}})

	b.post("/admin/guards/thresholds", form("value.guard.warning", " 3 ", "value.guard.critical", "12", "value.guard.breaker", "14", "most.guard.warning", "6")).check(t, done)
	b.get("/admin/guards/thresholds").check(t, want{status: 200, has: []string{
		"Saved guard.warning, guard.critical and guard.breaker.", `name="value.guard.warning" type="text" inputmode="numeric" value="3"`, `placeholder="5"`,
	}})
	// Somebody else's page is older: what it does not change stays.
	b.post("/admin/guards/thresholds", form("value.guard.warning", "", "was.value.guard.warning", "", "value.guard.nudges", "5", "was.value.guard.nudges", "")).check(t, done)
	b.post("/admin/guards/thresholds", form("value.guard.warning", "3", "was.value.guard.warning", "3")).check(t, done)
	b.get("/admin/guards").check(t, want{status: 200, has: []string{"No changes to save."}})
	config, err := s.db.GuardConfig(t.Context())
	s.ok(err)
	if got := config.Numbers; got["guard.warning"] != (agent.GuardOverride{Value: "3", Most: "6"}) || got["guard.nudges"].Value != "5" || len(got) != 4 {
		t.Errorf("numbers %+v", got)
	}

	for _, row := range []struct {
		name string
		form url.Values
		has  []string
		not  []string
	}{
		{
			"out of bounds, beside one that is not", form("value.guard.nudges", "\"lots", "most.guard.max_steps", "0", "value.guard.window", "40"),
			[]string{"Nothing was saved. Check 2 fields below.", `href="#value-guard.nudges"`, `id="value-guard.nudges-error"`, `id="most-guard.max_steps-error"`, `value="&#34;lots"`, `value="40"`, "from 0 to 20"},
			[]string{`id="value-guard.window-error"`},
		},
		{
			"against each other", form("value.guard.critical", "3", "value.guard.nudges", "2"),
			[]string{"Check 1 field", `id="value-guard.warning-error"`, "guard.warning = 3 must be below guard.critical = 3", `id="value-guard.critical" name="value.guard.critical" type="text" inputmode="numeric" value="3"`},
			[]string{`id="value-guard.nudges-error"`},
		},
	} {
		b.post("/admin/guards/thresholds", row.form).check(t, want{status: 422, has: row.has, hasNot: row.not})
	}
	if after, err := s.db.GuardConfig(t.Context()); err != nil || len(after.Numbers) != 4 || after.Numbers["guard.critical"].Value != "12" {
		t.Errorf("after errors %+v, %v", after.Numbers, err)
	}
	b.post("/admin/guards/thresholds", form("value.guard.warning", "", "most.guard.warning", "")).check(t, done)
	if after, err := s.db.GuardConfig(t.Context()); err != nil || len(after.Numbers) != 3 {
		t.Errorf("back to the default: %+v, %v", after.Numbers, err)
	}
}

func TestRulesOnThePage(t *testing.T) {
	t.Parallel()
	s, b, owner, card := guardsSite(t)
	done := want{status: http.StatusSeeOther, location: "/admin/guards/rules"}
	for _, row := range []struct {
		name string
		form url.Values
		has  []string
	}{
		{"no tool", form("identity", "a, b", "polling", "true"), []string{`id="rule-tool-error"`, `value="a, b"`, `value="true" checked`}},
		{"nothing in it", form("tool", "x\"y"), []string{"changes nothing", `value="x&#34;y"`, "The rule wasn’t saved.", `href="#new-rule"`}},
		{"no number", form("tool", "x", "warning", "few", "critical", "9"), []string{`id="rule-warning-error"`, `value="few"`, `value="9"`}},
		{"out of bounds", form("tool", "x", "critical", "1"), []string{`id="rule-critical-error"`, "2 to 1000"}},
	} {
		b.post("/admin/guards/rules", row.form).check(t, want{status: 422, has: row.has})
	}
	b.post("/admin/guards/rules", form("tool", "poll_it", "polling", "true", "identity", "id, , path", "warning", "4")).check(t, done)
	b.get("/admin/guards/rules").check(t, want{status: 200, has: []string{"Rule for poll_it saved.", "if id and path match"}})

	owner.call("POST", "/api/v1/approvals/"+card.ID+"/not-a-loop", "")
	rules, err := s.db.GuardRules(t.Context())
	s.ok(err)
	proposal := "/admin/guards/rules/" + rules[0].ID
	b.post(proposal+"/accept", nil).check(t, done)
	config, err := s.db.GuardConfig(t.Context())
	s.ok(err)
	if rule := config.Rule("look"); rule.Warning != 8 || rule.Critical != 16 {
		t.Errorf("accepted %+v", config.Rules)
	}
	b.post(proposal+"/accept", nil).check(t, want{status: http.StatusConflict, has: []string{"already active", "Backtest"}})
	b.post(proposal+"/delete", nil).check(t, done)
	b.get("/admin/guards/rules").check(t, want{status: 200, has: []string{"Rule for look removed."}})
	b.post(proposal+"/delete", nil).check(t, want{status: http.StatusNotFound, has: []string{"There is no such rule.", "Backtest"}})

	s.ok(s.db.ProposeRule(t.Context(), agent.GuardRule{ID: "p", ToolRule: agent.ToolRule{Tool: "get_weather", Polling: true}, State: agent.RuleProposed, ApprovalID: s.decidedLoop(), Actor: "x", At: s.clock.Now()}))
	b.post("/admin/guards/rules/p/delete", nil).check(t, done)
	b.get("/admin/guards/rules").check(t, want{status: 200, has: []string{"Suggestion for get_weather dismissed.", "No suggestions."}})
}

// decidedLoop is the id of a loop card that was decided.
func (s *site) decidedLoop() string {
	s.t.Helper()
	rex := s.user("rex@example.org", agent.RoleReviewer)
	card := s.paused(rex, "mine", loopCard())
	if got := s.client(rex).call("POST", "/api/v1/approvals/"+card.ID+"/decision", `{"decision":"abort"}`); got.status != 200 {
		s.t.Fatal(got.body)
	}
	return card.ID
}

func TestTryOnPastRuns(t *testing.T) {
	t.Parallel()
	s, b, owner, card := guardsSite(t)
	owner.call("POST", "/api/v1/approvals/"+card.ID+"/not-a-loop", "")
	rules, err := s.db.GuardRules(t.Context())
	s.ok(err)
	try := func(pairs ...string) answer { return b.get("/admin/guards/rules?" + form(pairs...).Encode()) }
	link := `<a href="/runs/` + card.RunID + `">mine</a>`
	for _, row := range []struct {
		name  string
		query []string
		want  want
	}{
		{"a proposal", []string{"rule", rules[0].ID}, want{status: 200, has: []string{
			"Last 30 days: 0 runs would newly trip, 1 would no longer trip.", "Replayed 1 run with 8 calls from the last 30 days. Would newly trip: 0. Would no longer trip: 1. Unchanged: 0.",
			"No runs would newly trip.", link, "bob@example.org", `value="` + rules[0].ID + `" selected`,
		}}},
		{"numbers", []string{"days", "1", "changes", "guard.max_steps = 60\r\n\r\nwarning=2\ncritical=3\n"}, want{status: 200, has: []string{
			"from the last 1 day. Would newly trip: 0. Would no longer trip: 0. Unchanged: 1.", "All runs that tripped would still trip.", "warning=2\ncritical=3",
		}, hasNot: []string{link}}},
		{"both", []string{"rule", rules[0].ID, "changes", "guard.nudges=1"}, want{status: 200, has: []string{link}, hasNot: []string{"In the last 30 days 0 runs"}}},
		{"no days", []string{"days", "x\"", "changes", "warning=3"}, want{status: 422, has: []string{`id="backtest-days-error"`, `value="x&#34;"`, "warning=3</textarea>"}}},
		{"no change", []string{"changes", "warning=3\nfaster"}, want{status: 422, has: []string{`id="changes-error"`, "line 2 is not a change", "faster</textarea>"}}},
		{"an unknown number", []string{"changes", "guard.nope=1"}, want{status: 422, has: []string{"line 1: unknown threshold guard.nope"}}},
		{"a number twice", []string{"changes", "guard.warning=3\nwarning=4"}, want{status: 422, has: []string{"line 2: guard.warning appears twice"}}},
		{"a bad number", []string{"changes", "guard.warning=few"}, want{status: 422, has: []string{"guard.warning: &#34;few&#34; is not allowed"}}},
		{"numbers against each other", []string{"changes", "guard.critical=4"}, want{status: 422, has: []string{"guard.warning = 5 must be below guard.critical = 4"}}},
		{"a rule that is gone", []string{"rule", "nope"}, want{status: 422, has: []string{`id="backtest-rule-error"`, "no longer suggested"}}},
	} {
		t.Run(row.name, func(t *testing.T) { try(row.query...).check(t, row.want) })
	}
	if now, err := s.db.GuardRules(t.Context()); err != nil || len(now) != 1 || now[0].State != agent.RuleProposed {
		t.Errorf("a try changed the rules: %+v, %v", now, err)
	}
}

// TestNotALoopOnThePage: the form is there once, for people who may decide.
func TestNotALoopOnThePage(t *testing.T) {
	t.Parallel()
	s, admin, _, card := guardsSite(t)
	path := "/approvals/" + card.ID
	offer := `action="` + path + `/not-a-loop"`
	waiting := s.paused(s.user("zoe@example.org", agent.RoleUser), "open", loopCard())
	admin.get("/approvals/"+waiting.ID).check(t, want{status: 200, hasNot: []string{"not-a-loop"}})
	admin.post("/approvals/"+waiting.ID+"/not-a-loop", nil).check(t, want{status: http.StatusConflict, has: []string{"Decide the approval first", `data-decide=`}})
	admin.get(path).check(t, want{status: 200, has: []string{offer, "Not a loop", "to the admins, so that later runs"}})
	admin.post(path+"/not-a-loop", nil).check(t, want{status: http.StatusSeeOther, location: path})
	admin.get(path).check(t, want{status: 200, has: []string{"A rule for look was suggested", "Marked as not a loop. A rule was suggested to the admins."}, hasNot: []string{offer}})
	admin.post(path+"/not-a-loop", nil).check(t, want{status: http.StatusConflict, has: []string{"already marked as not a loop"}})
}

func TestRunPageShowsTheBreakers(t *testing.T) {
	t.Parallel()
	s, admin, owner, card := guardsSite(t)
	admin.get("/runs/"+card.RunID).check(t, want{status: 200, has: []string{
		`id="breakers"`, "Same call repeated", ">warned<", ">paused<", "look was called 8 times",
	}, hasNot: []string{"switched off)"}})
	for _, name := range []string{"generic_repeat", "no_progress"} {
		s.ok(s.db.SetGuardSwitch(t.Context(), "x", name, false))
	}
	off := owner.run(9)
	got := admin.get("/runs/" + off.ID)
	got.check(t, want{status: 200, has: []string{"would have warned (switched off)", "would have paused (switched off)"}})
	if strings.Contains(got.body, ">paused<") {
		t.Errorf("a detector that is off has paused: %s", got.body)
	}
	quiet := owner.run(1)
	admin.get("/runs/"+quiet.ID).check(t, want{status: 200, has: []string{"No breakers triggered."}})
}
