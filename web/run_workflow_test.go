package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// TestStepsOfAWorkflowAreSeen: the run, the chat, and the page of the run say how the steps stand, with what
// they cost, and those who are not shown money see none of it.
func TestStepsOfAWorkflowAreSeen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, ben, eve := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.user("ben@example.org", agent.RoleUser), s.user("eve@example.org", agent.RoleUser)
	for _, name := range []string{"scout", "scribe"} {
		_, err := s.db.CreateAgent(t.Context(), agent.Viewer{Email: "x"}, agent.Agent{Name: name, Purpose: "Helps.", Instructions: "Help.", Limits: agent.AgentLimits{CostMicros: 300_000}})
		s.ok(err)
	}
	admin.call("POST", "/api/v1/workflows", `{"name":"article","purpose":"Writes.","kind":"sequence","steps":[
		{"name":"facts","agent":"scout","task":"Look."},{"name":"check","person":"approve","task":"Right?"},{"name":"draft","agent":"scribe","task":"Write."}]}`).
		check(t, want{status: http.StatusCreated, location: "/api/v1/workflows/article"})
	user := s.client(ben)
	conv := decoded[agent.Conversation](t, user.call("POST", "/api/v1/conversations", `{"workflow":"article"}`), 201)
	user.call("POST", "/api/v1/conversations/"+conv.ID+"/messages", `{"content":"Tea"}`).check(t, want{status: http.StatusAccepted})
	root, err := s.db.Claim(t.Context(), "test", time.Hour)
	s.ok(err)
	root.StartedAt = s.clock.Now()
	s.append(root, agent.Change{Run: root, Events: []agent.Event{{Data: root.Start("")}}})
	scout := s.handsOverBy(root, "s0-r1-t1-x", "scout", "Look.")
	s.says(scout, "A sail.", 20_000)
	path := "/api/v1/runs/" + root.ID
	user.call("GET", path, "").check(t, want{status: http.StatusOK, has: []string{
		`"workflow":{"name":"article","version":1,"steps":[{"id":"facts","agent":"scout","state":"running","needs":[],"runs":["` + scout.ID + `"],"tries":1,"costMicros":20000},`,
		`{"id":"check","person":"approve","state":"waiting","needs":["facts"],"runs":[],"tries":0,"costMicros":0},`, `"costMicros":20000,"maxCostMicros":600000}`,
	}})
	s.client(eve).call("GET", path, "").check(t, want{status: http.StatusNotFound})
	for _, page := range []string{"/c/" + conv.ID, "/runs/" + root.ID} {
		s.as(ben).get(page).check(t, want{status: http.StatusOK, has: []string{"Steps of article", "flow-running", "waits for facts", "$0.02 so far", "at most $0.60", "/runs/" + scout.ID}})
	}
	again := path + "/again"
	for body, answer := range map[string]want{
		`{"step":"facts"}`:        {status: http.StatusConflict, has: []string{"has not ended"}},
		`{"inputs":{"a":"b"}}`:    {status: http.StatusUnprocessableEntity, has: []string{`"field":"inputs"`}},
		`{"step":"facts","by":1}`: {status: http.StatusBadRequest, has: []string{"by"}},
	} {
		user.call("POST", again, body).check(t, answer)
	}
	s.client(eve).call("POST", again, `{"step":"facts"}`).check(t, want{status: http.StatusNotFound})
	s.ends(scout, agent.StatusFailed, agent.StopProviderError)
	calls, err := s.db.ToolCalls(t.Context(), root.ID)
	s.ok(err)
	made := calls[0]
	made.State, made.ErrorType, made.Result = agent.CallError, agent.ErrExecution, `{"runId":"`+scout.ID+`","status":"failed"}`
	s.append(root, agent.Change{Run: root, Calls: []agent.CallChange{{From: agent.CallExecuting, Event: agent.CallReturned, Call: made}}})
	s.ends(root, agent.StatusFailed, agent.StopConsecutiveErrors)
	for body, field := range map[string]string{
		`{"step":"draft"}`:                        "step",
		`{"step":"other"}`:                        "step",
		`{"step":"facts","inputs":{"other":"x"}}`: "inputs.other",
	} {
		user.call("POST", again, body).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"` + field + `"`}})
	}
	user.call("POST", again, `{"step":"facts","inputs":{}}`).check(t, want{status: http.StatusAccepted, has: []string{`"messageId":"`, `"runId":"`}, hasNot: []string{root.ID}})
	user.call("POST", again, `{"step":"facts"}`).check(t, want{status: http.StatusConflict})
	if page := s.as(ben).get("/runs/" + scout.ID); strings.Contains(page.body, "Steps of article") {
		t.Error("the run of a step shows the steps of the workflow")
	}
}
