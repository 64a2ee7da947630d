package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// writeCard is a call that may be decided together with others.
func writeCard(risk agent.Risk, file string) agent.Approval {
	args, _ := json.Marshal(map[string]string{"path": file})
	evidence, _ := json.Marshal(agent.ToolEvidence{Effect: agent.EffectWrite, Rule: agent.BuiltIn("write")})
	return agent.Approval{
		Kind: agent.KindTool, Risk: risk, ToolName: "write_file", Args: args, ArgsHash: "hash-of-" + file, Evidence: evidence, Message: "It writes a file.",
	}
}

// seesRead waits until the viewer's look is in the store: it is written beside the answer.
func (s *site) seesRead(u agent.User, id string) {
	s.t.Helper()
	agenttest.Eventually(s.t, id+" read by "+u.Email, func() bool {
		s.clock.Advance(time.Millisecond) // a look counts from the next moment on
		list, err := s.db.InboxEntries(s.t.Context(), u.Viewer(), []string{id})
		s.ok(err)
		return len(list) == 1 && !list[0].Unread
	})
}

func (s *site) pickOf(id string) string {
	s.t.Helper()
	a, err := s.db.Approval(s.t.Context(), agent.Viewer{Role: agent.RoleAdmin}, id)
	s.ok(err)
	return fmt.Sprintf("%s:%d:%s", a.ID, a.Generation, a.ArgsHash)
}

func TestInboxPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	low := s.paused(bob, "notes", writeCard(agent.RiskMedium, "notes.md"))
	high := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "rm -rf build"))
	loop := s.paused(bob, "weather", loopCard())
	b := s.as(rita)
	for _, tc := range []struct {
		path string
		want want
	}{
		{"/approvals", want{
			has: []string{
				"notes.md", "rm -rf build", "get_weather × 8", `data-pick`, `value="` + s.pickOf(low.ID), "Write notes.md",
				"4.5k tokens, $0.0050", "Approvals: 3 unread", `id="bulk"`, "rows=" + high.ID, "whole=true", `id="keys"`,
			},
			hasNot: []string{s.pickOf(high.ID), s.pickOf(loop.ID), "No approvals match"},
		}},
		{"/approvals?tool=run_shell", want{has: []string{"rm -rf build", `id="inbox-new"`, "Clear"}, hasNot: []string{`{&#34;path&#34;:&#34;notes.md`, "whole=true", `id="bulk"`}}},
		{"/approvals?search=NOTES.md", want{has: []string{"inbox-" + low.ID}, hasNot: []string{"inbox-" + high.ID}}},
		{"/approvals?kind=loop", want{has: []string{"inbox-" + loop.ID}, hasNot: []string{"inbox-" + low.ID}}},
		{"/approvals?age=1h", want{has: []string{"No approvals match this filter"}, hasNot: []string{"inbox-" + low.ID}}},
		{"/approvals?status=decided", want{has: []string{"No approvals match this filter"}}},
	} {
		tc.want.status = http.StatusOK
		b.get(tc.path).check(t, tc.want)
	}
	b.get("/approvals?age=1w").check(t, want{status: http.StatusBadRequest, has: []string{"age"}})
	s.clock.Advance(61 * time.Minute)
	b.get("/approvals?age=1h").check(t, want{status: http.StatusOK, has: []string{"inbox-" + low.ID}})

	b.get("/approvals/" + low.ID)
	s.seesRead(rita, low.ID)
	page := b.get("/approvals").body
	if first, last := strings.Index(page, `id="inbox-`+high.ID), strings.Index(page, `id="inbox-`+low.ID); first < 0 || first > last {
		t.Error("what is unread does not come first")
	}
	b.get("/approvals?unread=true").check(t, want{status: http.StatusOK, has: []string{"inbox-" + high.ID, "Approvals: 2 unread"}, hasNot: []string{"inbox-" + low.ID}})
	s.as(bob).get("/approvals").check(t, want{status: http.StatusOK, has: []string{"Waiting for a reviewer", "Approvals: 2 unread"}, hasNot: []string{"/ws/inbox", "whole="}})
	s.as(s.user("eve@example.org", agent.RoleUser)).get("/approvals").check(t, want{
		status: http.StatusOK, has: []string{"You’re all caught up", "Approvals: none unread"}, hasNot: []string{low.ID, "notes.md"},
	})
}

// TestInboxListOfPrograms: the list takes the page's parameters.
func TestInboxListOfPrograms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	low := s.paused(bob, "notes", writeCard(agent.RiskMedium, "notes.md"))
	s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "rm -rf build"))
	s.ok(s.db.NotePresence(t.Context(), rita.Viewer(), low.ID, false))
	c := s.client(rita)
	for query, want := range map[string]int{
		"": 2, "?tool=write_file": 1, "?search=cleaning": 1, "?search=nothing": 0, "?age=1d": 0, "?unread=true": 1, "?unread=false": 2,
		"?status=pending&tool=run_shell&unread=true": 1,
	} {
		var got struct{ Items []struct{ ID string } }
		s.ok(json.Unmarshal([]byte(c.call("GET", "/api/v1/approvals"+query, "").body), &got))
		if len(got.Items) != want {
			t.Errorf("%s: %d items, want %d", query, len(got.Items), want)
		}
	}
	if got := c.call("GET", "/api/v1/approvals?age=2h", ""); got.status != http.StatusBadRequest {
		t.Errorf("a bad age: %d", got.status)
	}
}

// TestBulk: each is decided by itself. What has changed, what is high and what
// is nobody's business stays as it is, and the page says why.
func TestBulk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.org", agent.RoleUser), s.user("bob@example.org", agent.RoleUser)
	good := s.paused(bob, "good", writeCard(agent.RiskMedium, "good.md"))
	stale := s.paused(bob, "stale", writeCard(agent.RiskLow, "stale.md"))
	high := s.paused(bob, "high", shellCard(agent.RiskHigh, "rm -rf build"))
	foreign := s.paused(ana, "foreign", writeCard(agent.RiskLow, "secret.md"))
	b := s.as(bob) // may confirm low and medium ones
	b.get("/approvals?risk=medium")
	got := b.post("/approvals/bulk", url.Values{
		"decision": {"approve"}, "back": {"risk=medium"},
		"item": {s.pickOf(good.ID), stale.ID + ":7:" + stale.ArgsHash, s.pickOf(high.ID), s.pickOf(foreign.ID)},
	})
	got.check(t, want{status: http.StatusSeeOther, location: "/approvals?risk=medium"})
	b.get("/approvals?risk=medium").check(t, want{
		status: http.StatusOK,
		has: []string{
			"1 of 4 decided", "good.md", "Approved", "changed since it was shown", "rm -rf build", "high risk has to be opened", "There is no such approval", foreign.ID,
		},
		hasNot: []string{"secret.md", "bulk-" + foreign.ID},
	})
	if page := b.get("/approvals").body; strings.Contains(page, "1 of 4 decided") {
		t.Error("the results are shown twice")
	}
	for id, want := range map[string]agent.ApprovalStatus{
		good.ID: agent.ApprovalDecided, stale.ID: agent.ApprovalPending, high.ID: agent.ApprovalPending, foreign.ID: agent.ApprovalPending,
	} {
		a, err := s.db.Approval(t.Context(), agent.Viewer{Role: agent.RoleAdmin}, id)
		s.ok(err)
		if a.Status != want {
			t.Errorf("%s is %s, want %s", id, a.Status, want)
		}
	}
	b.post("/approvals/bulk", url.Values{"decision": {"approve"}, "back": {"//evil.example"}}).check(t, want{
		status: http.StatusSeeOther, location: "/approvals?%2F%2Fevil.example=",
	})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"choose at least one"}})
	b.post("/approvals/bulk", url.Values{"decision": {"approve"}, "item": {"nonsense"}})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"reload the page"}})
}

func TestBulkOfPrograms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	good, high := s.paused(bob, "good", writeCard(agent.RiskMedium, "good.md")), s.paused(bob, "high", shellCard(agent.RiskCritical, "rm"))
	c := s.client(rita)
	item := func(a agent.Approval) string {
		return fmt.Sprintf(`{"id":%q,"generation":1,"argsHash":%q}`, a.ID, a.ArgsHash)
	}
	got := c.call("POST", "/api/v1/approvals/bulk", `{"decision":"reject","comment":"not today","items":[`+item(high)+`,`+item(good)+`]}`)
	var said struct{ Results []service.BulkResult }
	s.ok(json.Unmarshal([]byte(got.body), &said))
	if got.status != http.StatusOK || len(said.Results) != 2 || said.Results[0].OK || said.Results[0].Code != agent.Invalid || !said.Results[1].OK {
		t.Errorf("%d %s", got.status, got.body)
	}
	for _, body := range []string{`{"decision":"edit","items":[` + item(good) + `]}`, `{"decision":"approve","items":[]}`, `{"decision":"approve"}`} {
		if got := c.call("POST", "/api/v1/approvals/bulk", body); got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}
