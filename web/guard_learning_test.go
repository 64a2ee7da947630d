package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// looped lets a tool repeat itself until a breaker pauses the run, and decides.
// The run makes more calls afterwards if it may.
func (c client) looped(tool, decision string, more int) agent.Approval {
	c.s.t.Helper()
	card := c.s.pending(c.runTool(tool, 9))
	if got := c.call("POST", "/api/v1/approvals/"+card.ID+"/decision", decision); got.status != http.StatusOK {
		c.s.t.Fatal(got.body)
	}
	c.s.advance(card.RunID, calling(tool, "later", more))
	return card
}

const goOn, abort = `{"decision":"resume","answer":"plain"}`, `{"decision":"abort"}`

// learningSite has five false alarms on as many tools, a loop that a person
// ended, one that a breaker ended later, and a run that nobody decided.
func learningSite(t *testing.T) (s *site, admin *browser, ended agent.Approval) {
	t.Helper()
	s = newSite(t)
	admin = s.as(s.user("ada@example.org", agent.RoleAdmin))
	owner := s.client(s.user("bob@example.org", agent.RoleUser))
	for i := range 4 {
		owner.looped(fmt.Sprint("look", i), goOn, 0)
	}
	marked := owner.looped("look_on", abort, 0)
	owner.call("POST", "/api/v1/approvals/"+marked.ID+"/not-a-loop", "").check(t, want{status: 200})
	ended = owner.looped("look_in", abort, 0)
	owner.looped("look_at", goOn, 5)
	owner.runTool("look_up", 9)
	return s, admin, ended
}

func TestLearningOverTheAPI(t *testing.T) {
	t.Parallel()
	s, _, ended := learningSite(t)
	admin := s.client(s.user("eve@example.org", agent.RoleAdmin))
	plain := admin.call("GET", "/api/v1/guards/learning", "")
	got := decoded[agent.Learning](t, plain, 200)
	want := agent.DetectorDecisions{
		Detector: "generic_repeat", Decisions: 7, FalseAlarms: 5, Loops: 2, Ways: agent.DecisionWays{NotLoop: 1, Continued: 5, Ended: 1},
	}
	if len(got.Detectors) != 1 || got.Detectors[0] != want || got.Search != nil || strings.Contains(plain.body, `"search"`) {
		t.Errorf("decisions: %s", plain.body)
	}
	found := decoded[agent.Learning](t, admin.call("GET", "/api/v1/guards/learning?search=true", ""), 200).Search
	if found == nil || found.Runs != 8 || len(found.Suggestions) != 1 || found.More {
		t.Fatalf("search: %+v", found)
	}
	one := found.Suggestions[0]
	if one.Numbers["guard.critical"] != "10" || one.Was["guard.critical"] != "8" || one.Numbers["guard.breaker"] != "12" || one.Rule != nil {
		t.Errorf("suggested %+v", one)
	}
	if one.Now != (agent.PauseCounts{FalseAlarms: 5, Loops: 2, Others: 1}) || one.Then != (agent.PauseCounts{Loops: 1}) {
		t.Errorf("now %+v, then %+v", one.Now, one.Then)
	}
	if len(one.Spared) != 5 || len(one.Missed) != 1 || one.Missed[0].RunID != ended.RunID {
		t.Errorf("spared %d, missed %+v", len(one.Spared), one.Missed)
	}
	if after, err := s.db.GuardConfig(t.Context()); err != nil || len(after.Numbers) != 0 {
		t.Errorf("a search changed the numbers: %+v, %v", after.Numbers, err)
	}
	earlier := decoded[agent.Learning](t, admin.call("GET", "/api/v1/guards/learning?from=2020-01-01&to=2020-01-31&search=true", ""), 200)
	if len(earlier.Detectors) != 0 || len(earlier.Search.Suggestions) != 0 {
		t.Errorf("another period: %+v", earlier)
	}
	for query, status := range map[string]int{"search=maybe": 400, "from=soon": 400, "search=false": 200} {
		if got := admin.call("GET", "/api/v1/guards/learning?"+query, ""); got.status != status {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
}

// TestLearningSuggestsARule: false alarms on one tool ask for a rule for it, not
// for a number that all tools share; the tool's rule keeps what it says.
func TestLearningSuggestsARule(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.client(s.user("ada@example.org", agent.RoleAdmin))
	s.ok(s.db.SaveRule(t.Context(), agent.GuardRule{ID: "r", Actor: "x", At: s.clock.Now(), ToolRule: agent.ToolRule{Tool: "look", Polling: true, Identity: []string{"x"}, Volatile: []string{"at"}, Warning: 4}}))
	owner := s.client(s.user("bob@example.org", agent.RoleUser))
	for range 5 {
		owner.looped("look", goOn, 0)
	}
	found := decoded[agent.Learning](t, admin.call("GET", "/api/v1/guards/learning?search=true", ""), 200).Search
	if len(found.Suggestions) != 1 || found.Suggestions[0].Rule == nil {
		t.Fatalf("search: %+v", found)
	}
	if r := found.Suggestions[0].Rule; r.Tool != "look" || r.Critical != 10 || !r.Polling || len(r.Identity) != 1 || len(r.Volatile) != 1 || r.Warning != 4 {
		t.Errorf("rule %+v", r)
	}
	b := s.as(s.user("eve@example.org", agent.RoleAdmin))
	b.get("/admin/guards/learning?search=true").check(t, want{status: 200, has: []string{
		"Add a rule for look:", "Warns the model after 4 identical calls and asks a person after 10.", "Replaces the active rule:",
		`action="/admin/guards/rules"`, `name="critical" value="10"`, `name="volatile" value="at"`, "No real loops missed.",
	}})
	b.post("/admin/guards/rules", form("tool", "look", "identity", "", "volatile", "at", "warning", "0", "critical", "10")).check(t, want{status: 303, location: "/admin/guards/rules"})
	config, err := s.db.GuardConfig(t.Context())
	s.ok(err)
	if r := config.Rule("look"); r.Critical != 10 || len(r.Volatile) != 1 {
		t.Errorf("applied %+v", r)
	}
}

func TestLearningPage(t *testing.T) {
	t.Parallel()
	s, b, ended := learningSite(t)
	b.get("/admin/guards").check(t, want{status: 200, has: []string{`href="/admin/guards/learning"`}})
	b.get("/admin/guards/learning").check(t, want{status: 200, has: []string{
		"Learning from decisions", "Same call repeated", `data-label="Decisions">7<`, `data-label="False alarms">5<`, `data-label="Real loops">2<`,
		"1 marked “Not a loop”", "5 continued", "1 stopped", "Find changes",
	}, hasNot: []string{"too few to say anything", "Replayed", `action="/admin/guards/thresholds"`, "<script>", "style="}})
	b.get("/admin/guards/learning?search=true").check(t, want{status: 200, has: []string{
		"Replayed 8 runs with", "Identical calls before a person is asked: 10 instead of 8 (guard.critical)", "12 instead of 10 (guard.breaker)", "1 real loop missed", "5 false alarms avoided", `href="/runs/` + ended.RunID + `"`,
		`<td class="num">5</td><td class="num">0</td><td class="num">5</td>`, `<td class="num">2</td><td class="num">1</td><td class="num">1</td>`,
		`action="/admin/guards/thresholds"`, `name="value.guard.critical" value="10"`, `name="value.guard.breaker" value="12"`, "Apply change",
	}, hasNot: []string{"Find changes"}})
	b.get("/admin/guards/learning?from=2020-01-01&to=2020-01-31").check(t, want{status: 200, has: []string{"No decisions on loops in this period", "After 5 clear decisions"}})
	b.get("/admin/guards/learning?from=soon").check(t, want{status: 422, has: []string{`id="from-error"`, `value="soon"`}})

	b.post("/admin/guards/thresholds", form("value.guard.critical", "10", "value.guard.breaker", "12")).check(t, want{status: 303, location: "/admin/guards/thresholds"})
	config, err := s.db.GuardConfig(t.Context())
	s.ok(err)
	if config.Numbers["guard.critical"].Value != "10" || config.Numbers["guard.breaker"].Value != "12" {
		t.Errorf("applied %+v", config.Numbers)
	}
	b.get("/admin/audit?action=guard.number").check(t, want{status: 200, has: []string{"guard.critical", "guard.breaker", "ada@example.org"}})
	b.get("/admin/guards/learning?search=true").check(t, want{status: 200, has: []string{"No change that was tried"}})
}

// TestLearningNeedsDecisions: two say nothing, and nothing is suggested.
func TestLearningNeedsDecisions(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Learn = nil })
	user := s.user("bob@example.org", agent.RoleUser)
	b, owner := s.as(s.user("ada@example.org", agent.RoleAdmin)), s.client(user)
	path := "/admin/guards/learning"
	b.get(path).check(t, want{status: 200, has: []string{"No decisions on loops in this period"}, hasNot: []string{"Find changes"}})
	owner.looped("look", goOn, 0)
	owner.looped("look", goOn, 0)
	b.get(path).check(t, want{status: 200, has: []string{"2 decisions: too few to say anything.", "at least 5 clear decisions"}, hasNot: []string{"Find changes"}})
	b.get(path+"?search=true").check(t, want{status: 200, has: []string{"does not keep past runs"}})
	s.client(s.user("eve@example.org", agent.RoleAdmin)).call("GET", "/api/v1/guards/learning?search=true", "").check(t, want{status: 503})

	for _, u := range []*browser{s.as(user), s.as(s.user("rex@example.org", agent.RoleReviewer))} {
		u.get(path).check(t, want{status: http.StatusForbidden, hasNot: []string{"False alarms"}})
	}
	owner.call("GET", "/api/v1/guards/learning", "").check(t, want{status: http.StatusForbidden})
}
