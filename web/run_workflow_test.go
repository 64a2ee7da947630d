package web_test

import (
	"fmt"
	"net/http"
	"net/url"
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
	admin.call("POST", "/api/v1/workflows", `{"name":"article","purpose":"Writes.","kind":"sequence","inputs":[{"name":"tone","label":"Tone","type":"string","required":true},{"name":"short","label":"Short","type":"boolean"}],"steps":[
		{"name":"facts","agent":"scout","task":"Look."},{"name":"check","person":"approve","task":"Right?"},{"name":"draft","agent":"scribe","task":"Write."}]}`).
		check(t, want{status: http.StatusCreated, location: "/api/v1/workflows/article"})
	user := s.client(ben)
	conv := decoded[agent.Conversation](t, user.call("POST", "/api/v1/conversations", `{"workflow":"article","inputs":{"tone":"dry","short":true}}`), 201)
	user.call("POST", "/api/v1/conversations/"+conv.ID+"/messages", `{"content":"Tea"}`).check(t, want{status: http.StatusAccepted})
	page := s.as(ben).get("/c/" + conv.ID)
	shown := seqAndLeaf.FindStringSubmatch(page.body)
	socket := s.socket(s.as(ben), "/ws/conversations/"+conv.ID+"?format=html&after="+shown[1]+"&leaf="+shown[2])
	root, err := s.db.Claim(t.Context(), "test", time.Hour)
	s.ok(err)
	root.StartedAt = s.clock.Now()
	s.append(root, agent.Change{Run: root, Events: []agent.Event{{Data: root.Start("")}}})
	for told := ""; !strings.Contains(told, "Steps of article"); {
		told = s.fragments(socket) // until its time limit
	}
	scout := s.handsOverBy(root, "s0-r1-t1-x", "scout", "Look.")
	s.says(scout, "A sail.", 20_000)
	s.shells(scout, "touch notes")
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
	s.stepEnds(root, scout, agent.CallError)
	s.ends(root, agent.StatusFailed, agent.StopConsecutiveErrors)
	for body, field := range map[string]string{
		`{"step":"draft"}`:                        "step",
		`{"step":"other"}`:                        "step",
		`{"step":"facts","inputs":{"other":"x"}}`: "inputs.other",
	} {
		user.call("POST", again, body).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"` + field + `"`}})
	}
	user.call("POST", again, `{"step":"facts","inputs":{"tone":null}}`).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"inputs.tone"`}})
	goesBackOnPages(t, s, ben, root)
	user.call("POST", again, `{"step":"facts"}`).check(t, want{status: http.StatusConflict})
	if page := s.as(ben).get("/runs/" + scout.ID); strings.Contains(page.body, "Steps of article") {
		t.Error("the run of a step shows the steps of the workflow")
	}
}

// stepEnds ends the run of a step, and has its workflow take in what it came to.
func (s *site) stepEnds(root, step *agent.Run, came agent.CallState) {
	s.t.Helper()
	status, why, kind := agent.StatusFinished, agent.StopGoal, agent.ErrorType("")
	if came == agent.CallError {
		status, why, kind = agent.StatusFailed, agent.StopProviderError, agent.ErrExecution
	}
	s.ends(step, status, why)
	calls, err := s.db.ToolCalls(s.t.Context(), root.ID)
	s.ok(err)
	made := calls[len(calls)-1]
	made.State, made.ErrorType, made.Result = came, kind, `{"runId":"`+step.ID+`","status":"`+string(status)+`","answer":"A sail."}`
	s.append(root, agent.Change{Run: root, Calls: []agent.CallChange{{From: agent.CallExecuting, Event: agent.CallReturned, Call: made}}, Events: []agent.Event{
		{Data: agent.ToolCallStateEvent{ToolCallID: made.ID, State: made.State}}, {Data: agent.ToolCallResult{ToolCallID: made.ID, Result: made.Result, ErrorType: made.ErrorType}},
	}})
}

// TestAgainFromAStepOverTheAPI: a run that goes back to a step keeps the results of those that do not
// depend on it.
func TestAgainFromAStepOverTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, ben := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.user("ben@example.org", agent.RoleUser)
	for _, name := range []string{"scout", "scribe"} {
		_, err := s.db.CreateAgent(t.Context(), agent.Viewer{Email: "x"}, agent.Agent{Name: name, Purpose: "Helps.", Instructions: "Help."})
		s.ok(err)
	}
	admin.call("POST", "/api/v1/workflows", `{"name":"article","purpose":"Writes.","kind":"sequence","inputs":[{"name":"tone","label":"Tone","type":"string"}],"steps":[
		{"name":"facts","agent":"scout","task":"Look."},{"name":"draft","agent":"scribe","task":"Write."}]}`).check(t, want{status: http.StatusCreated, location: "/api/v1/workflows/article"})
	user := s.client(ben)
	conv := decoded[agent.Conversation](t, user.call("POST", "/api/v1/conversations", `{"workflow":"article","inputs":{"tone":"dry"}}`), 201)
	user.call("POST", "/api/v1/conversations/"+conv.ID+"/messages", `{"content":"Tea"}`).check(t, want{status: http.StatusAccepted})
	root, err := s.db.Claim(t.Context(), "test", time.Hour)
	s.ok(err)
	s.append(root, agent.Change{Run: root, Events: []agent.Event{{Data: root.Start("")}}})
	for i, came := range []agent.CallState{agent.CallSuccess, agent.CallError} {
		step := s.handsOverBy(root, fmt.Sprintf("s%d-r1-t1-x", i), []string{"scout", "scribe"}[i], "Go.")
		s.says(step, "A sail.", 10)
		s.stepEnds(root, step, came)
	}
	s.ends(root, agent.StatusFailed, agent.StopConsecutiveErrors)
	type made struct{ MessageID, RunID string }
	again := decoded[made](t, user.call("POST", "/api/v1/runs/"+root.ID+"/again", `{"step":"draft","inputs":{"tone":"warm"}}`), http.StatusAccepted)
	if again.RunID == root.ID || again.MessageID == "" {
		t.Errorf("it is made again by %+v", again)
	}
	user.call("GET", "/api/v1/runs/"+again.RunID, "").check(t, want{status: http.StatusOK, has: []string{
		`{"id":"facts","agent":"scout","state":"done",`, `"takenOver":true`, `{"id":"draft","agent":"scribe","state":"waiting","needs":["facts"],"runs":[],"tries":0,"costMicros":0}`,
	}})
	run, err := s.db.Claim(t.Context(), "test", time.Hour)
	s.ok(err)
	if run.ID != again.RunID || string(run.State.Workflow.Inputs["tone"]) != `"warm"` {
		t.Errorf("run %s has %s", run.ID, run.State.Workflow.Inputs)
	}
}

// shells has a run make a command that has begun.
func (s *site) shells(run *agent.Run, command string) {
	s.t.Helper()
	call := agent.ToolCall{RunID: run.ID, ID: s.newID(), Step: run.Steps, Name: "run_shell", Args: string(agent.MustJSON(map[string]string{"command": command})), StartedAt: s.clock.Now()}
	for _, to := range []struct {
		from, to agent.CallState
		by       agent.CallEvent
	}{{"", agent.CallValidating, agent.CallAsked}, {agent.CallValidating, agent.CallScheduled, agent.CallAllowed}, {agent.CallScheduled, agent.CallExecuting, agent.CallClaimed}} {
		call.State = to.to
		s.appendTree(run, agent.Change{Run: run, Calls: []agent.CallChange{{From: to.from, Event: to.by, Call: call}}, Events: []agent.Event{{Data: agent.ToolCallStateEvent{ToolCallID: call.ID, State: to.to}}}})
	}
}

// goesBackOnPages: the list of steps leads its owner, and nobody else, to a form with what was filled in, what
// runs again, and what stays done; sent with other inputs it makes a run that has those.
func goesBackOnPages(t *testing.T, s *site, owner agent.User, root *agent.Run) {
	t.Helper()
	b, boss, form := s.as(owner), s.as(s.user("eva@example.org", agent.RoleAdmin)), "/runs/"+root.ID+"/again"
	link := `href="` + form + `?step=facts"`
	for _, page := range []string{"/c/" + root.ConversationID, "/runs/" + root.ID} {
		b.get(page).check(t, want{status: http.StatusOK, has: []string{link, "Again from here: facts"}, hasNot: []string{form + "?step=draft"}})
		boss.get(page).check(t, want{status: http.StatusOK, has: []string{"Steps of article"}, hasNot: []string{link}})
	}
	for _, address := range []string{form, form + "?step=facts"} {
		boss.get(address).check(t, want{status: http.StatusSeeOther, location: "/runs/" + root.ID})
	}
	b.get(form).check(t, want{status: http.StatusSeeOther, location: "/runs/" + root.ID})
	b.get(form+"?step=draft").check(t, want{status: http.StatusBadRequest, has: []string{"draft is skipped in this run"}})
	b.get(form+"?step=facts").check(t, want{status: http.StatusOK, has: []string{
		"Again from facts", `value="dry"`, `name="input.short" value="true" checked`, `<li class="badge">draft</li>`, "no other step has a result", "run_shell", "touch notes",
	}})
	boss.post(form, url.Values{"step": {"facts"}}).check(t, want{status: http.StatusForbidden})
	b.post(form, url.Values{"step": {"facts"}, "input.tone": {" "}}).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"field-error", `name="input.short" value="true">`}})
	b.post(form, url.Values{"step": {"facts"}, "input.tone": {"One\r\nTwo"}}).check(t, want{status: http.StatusSeeOther, location: "/c/" + root.ConversationID})
	run, err := s.db.Claim(t.Context(), "test", time.Hour)
	s.ok(err)
	if got := run.State.Workflow.Inputs; string(got["tone"]) != `"One\nTwo"` || string(got["short"]) != "false" {
		t.Errorf("the new run has %s", got)
	}
	b.post(form, url.Values{"step": {"facts"}, "input.tone": {"x"}}).check(t, want{status: http.StatusConflict, has: []string{`value="x"`}})
}
