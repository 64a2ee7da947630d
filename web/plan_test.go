package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/schema"
	"fusebox/agent/tools"
)

// planSchema is what the tool takes whose plans people change.
var planSchema = sync.OnceValues(func() (*schema.Schema, error) {
	all := tools.Builtin()
	i := slices.IndexFunc(all, func(s agent.ToolSpec) bool { return s.Name == agent.UpdatePlanTool })
	return schema.Compile(agent.UpdatePlanTool, all[i].Parameters)
})

// planForm is a form with rows of step, status, and note.
func planForm(fields ...string) url.Values {
	v := url.Values{}
	for i, field := range fields {
		v.Add([]string{"step", "status", "note"}[i%3], field)
	}
	return v
}

// planOf is the plan of a run as it is stored.
func (s *site) planOf(u agent.User, id string) []agent.PlanStep {
	s.t.Helper()
	run, err := s.db.Run(s.t.Context(), u.Viewer(), id)
	s.ok(err)
	return run.State.Plan.Steps
}

// TestPlanOfAWaitingRun: its person changes the plan over the API while it waits; nobody
// else may, and to others it is not there.
func TestPlanOfAWaitingRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, rita := s.user("ana@example.com", agent.RoleAdmin), s.user("rita@example.com", agent.RoleReviewer)
	bob, eve := s.user("bob@example.com", agent.RoleUser), s.user("eve@example.com", agent.RoleUser)
	card := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "ls"))
	run, c := "/api/v1/runs/"+card.RunID, s.client(bob)
	c.call(http.MethodGet, run, "").check(t, want{status: http.StatusOK, hasNot: []string{`"plan"`}})
	const plan = `{"plan":[{"step":"Look","status":"completed"},{"step":"Clean","status":"in_progress","note":"slowly"},{"step":"Ask","status":"blocked"},{"step":"Tell","status":"not_started"}]}`
	for who, status := range map[agent.User]int{admin: http.StatusForbidden, rita: http.StatusForbidden, eve: http.StatusNotFound} {
		s.client(who).call(http.MethodPut, run+"/plan", plan).check(t, want{status: status})
	}
	for body, field := range map[string]string{
		`{"plan":[]}`: "plan", `{}`: "plan",
		`{"plan":[{"step":"","status":"completed"}]}`:                                                                  "plan.0.step",
		`{"plan":[{"step":"x","status":"gone"}]}`:                                                                      "plan.0.status",
		`{"plan":[{"step":"` + strings.Repeat("x", 501) + `","status":"completed"}]}`:                                  "plan.0.step",
		`{"plan":[` + strings.Repeat(`{"step":"x","status":"completed"},`, 50) + `{"step":"x","status":"completed"}]}`: "plan",
	} {
		c.call(http.MethodPut, run+"/plan", body).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"` + field + `"`}})
	}
	c.call(http.MethodPut, run+"/plan", plan).check(t, want{status: http.StatusNoContent})
	c.call(http.MethodGet, run, "").check(t, want{status: http.StatusOK, has: []string{`"plan":[{"step":"Look","status":"completed"},{"step":"Clean","status":"in_progress","note":"slowly"}`, `{"step":"Tell","status":"not_started"}`}})
	log := c.call(http.MethodGet, "/api/v1/conversations/"+card.ConversationID+"/events?follow=false", "").body
	if !strings.Contains(log, `"type":"plan","steps":[{"step":"Look"`) {
		t.Errorf("the log does not have the plan: %s", log)
	}
	if row := s.auditOf("run.plan"); row.Actor != bob.Email || row.Target != card.RunID || !strings.Contains(row.Detail, "slowly") {
		t.Errorf("audited as %+v", row)
	}
	done := s.finished(bob, "done")
	c.call(http.MethodPut, "/api/v1/runs/"+done.ID+"/plan", plan).check(t, want{status: http.StatusConflict})
}

// TestPlanForm: without a script, the plan is changed on a page of its own; what is refused
// comes back as it was typed.
func TestPlanForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob, rita := s.user("bob@example.com", agent.RoleUser), s.user("rita@example.com", agent.RoleReviewer)
	card := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "ls"))
	b, path := s.as(bob), "/runs/"+card.RunID+"/plan"
	s.ok(s.db.ChangePlan(t.Context(), card.RunID, bob.Email, []agent.PlanStep{{Step: "Look <b>", Status: agent.PlanCompleted, Note: "a note"}, {Step: "Clean", Status: agent.PlanInProgress}}))
	for _, page := range []string{"/c/" + card.ConversationID, "/runs/" + card.RunID} {
		b.get(page).check(t, want{status: http.StatusOK, has: []string{`href="` + path + `"`, "1 of 2 done", "Look &lt;b&gt;", "a note"}})
	}
	s.as(rita).get("/runs/"+card.RunID).check(t, want{status: http.StatusOK, has: []string{"1 of 2 done"}, hasNot: []string{path}})
	b.get(path).check(t, want{status: http.StatusOK, has: []string{`value="Look &lt;b&gt;"`, `value="a note"`, `<option value="in_progress" selected>`, `id="step-5"`}})
	s.as(rita).get(path).check(t, want{status: http.StatusSeeOther, location: "/runs/" + card.RunID})
	b.post(path, planForm(" ", "blocked", "x")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"Write at least one step."}})
	long := strings.Repeat("y", 501)
	b.post(path, planForm("Look", "completed", "", long, "blocked", "kept")).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{`value="` + long + `"`, `id="step-2-error"`, `value="kept"`, "at most 500 are allowed"},
	})
	b.post(path, planForm("Look", "completed", "", "", "blocked", "", "Wash", "blocked", "no water")).check(t, want{
		status: http.StatusSeeOther, location: "/c/" + card.ConversationID,
	})
	if diff := cmp.Diff([]agent.PlanStep{{Step: "Look", Status: agent.PlanCompleted}, {Step: "Wash", Status: agent.PlanBlocked, Note: "no water"}}, s.planOf(bob, card.RunID)); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	s.ok(s.db.RequestAbort(t.Context(), card.RunID, bob.Email))
	b.post(path, planForm("Late", "completed", "")).check(t, want{status: http.StatusConflict, has: []string{`value="Late"`, "does not wait for a person now"}})
	b.get(path).check(t, want{status: http.StatusSeeOther, location: "/runs/" + card.RunID})
}

// TestPlanIsShownLive: a page that is open gets the plan in its place above the answers.
func TestPlanIsShownLive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.user("bob@example.com", agent.RoleUser)
	card := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "ls"))
	b := s.as(bob)
	ws := s.socket(b, "/ws/conversations/"+card.ConversationID+"?format=html")
	s.ok(s.db.ChangePlan(t.Context(), card.RunID, bob.Email, []agent.PlanStep{{Step: "Look", Status: agent.PlanCompleted}, {Step: "Clean", Status: agent.PlanInProgress}}))
	var got []string
	for !slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "1 of 2 done") }) {
		got = append(got, s.fragments(ws))
	}
	if last := got[len(got)-1]; !strings.Contains(last, `"op":"replace","target":"plan-`+card.RunID+`"`) || !strings.Contains(last, "Plan: 1 of 2 done") {
		t.Errorf("the page gets %s", last)
	}
}
