package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
)

// wordy is a run of u whose first step thinks, calls tools with long arguments, and gets
// a long result, an error, and an output that was kept.
func (s *site) wordy(u agent.User) *agent.Run {
	s.t.Helper()
	run := s.started(u, "words")
	long := func(word string) string { return strings.Repeat(word+" ", 400) + word + "-end" }
	m := agent.Message{
		ID: s.newID(), ConversationID: run.ConversationID, Role: agent.FromAssistant, RunID: run.ID,
		Reasoning: long("<thought>"), Content: long("answer"), CreatedAt: s.clock.Now(),
	}
	call := func(id, args, result string, failure agent.ErrorType, truncated bool) agent.ToolCall {
		state := agent.CallSuccess
		if failure != "" {
			state = agent.CallError
		}
		return agent.ToolCall{
			ID: id, RunID: run.ID, ConversationID: run.ConversationID, MessageID: m.ID, Step: run.Steps, Name: "run_shell",
			Args: args, State: state, Result: result, ErrorType: failure, Truncated: truncated, StartedAt: s.clock.Now(), EndedAt: s.clock.Now(),
		}
	}
	steps := []agent.CallChange{
		{Event: agent.CallAsked}, {From: agent.CallValidating, Event: agent.CallAllowed},
		{From: agent.CallScheduled, Event: agent.CallClaimed}, {From: agent.CallExecuting, Event: agent.CallReturned},
	}
	for i, c := range []agent.ToolCall{
		call("c/1", `{"command":"`+long("echo")+`"}`, long("<result>"), "", false),
		call("bad", `{"command":"false"}`, "No such <program>.", agent.ErrShell, false),
		call("long", `{"command":"seq 1 9"}`, "head and tail", "", true),
	} {
		c.Index = i
		for n, state := range []agent.CallState{agent.CallValidating, agent.CallScheduled, agent.CallExecuting, c.State} {
			change := steps[n]
			change.Call = c
			change.Call.State = state
			s.append(run, agent.Change{Run: run, Calls: []agent.CallChange{change}})
		}
	}
	s.append(run, agent.Change{Run: run, Messages: []agent.Message{m}, Events: []agent.Event{
		{Data: agent.MessageEvent{Message: m}}, {Data: agent.ErrorEvent{Message: "The model <said> no.", ErrorType: "provider_error"}},
	}})
	return run
}

// TestRunPageShowsWhatHappened: thoughts, answers, arguments, results, and errors of each
// step, long ones behind links that lead to all of them.
func TestRunPageShowsWhatHappened(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ana@example.com", agent.RoleAdmin)
	bob, eve := s.user("bob@example.com", agent.RoleUser), s.user("eve@example.com", agent.RoleUser)
	run := s.wordy(bob)
	b := s.as(bob)
	got := b.get("/runs/" + run.ID)
	got.check(t, want{
		status: http.StatusOK,
		has: []string{
			"Thoughts", "&lt;thought&gt; &lt;thought&gt;", "Answer", "Arguments", "echo echo", "&lt;result&gt; &lt;result&gt;",
			"Error (shell_execute_error)", "No such &lt;program&gt;.", "The model &lt;said&gt; no.", "Show the whole output", `href="#step-1"`, `id="step-1"`,
		},
		hasNot: []string{"<thought>", "-end"},
	})
	links := leadsTo(got.body, "/runs/"+run.ID+"/text?")
	if len(links) != 4 { // thoughts, answer, arguments, result
		t.Fatalf("links to whole texts: %v", links)
	}
	for i, end := range []string{"&lt;thought&gt;-end", "answer-end", "echo-end", "&lt;result&gt;-end"} {
		b.get(links[i]).check(t, want{status: http.StatusOK, has: []string{end, `href="/runs/` + run.ID + `"`}, hasNot: []string{"<thought>", "<result>"}})
		s.as(eve).get(links[i]).check(t, want{status: http.StatusNotFound, hasNot: []string{"-end"}})
	}
	b.get("/runs/"+run.ID+"/text?call=none&of=result").check(t, want{status: http.StatusNotFound})
	b.get("/runs/"+run.ID+"/text?message=none&of=answer").check(t, want{status: http.StatusNotFound})
}

// TestKeptOutput: whoever may see the run can read all that a call has put out, as text,
// on the page and over the API.
func TestKeptOutput(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ana@example.com", agent.RoleAdmin)
	bob, eve := s.user("bob@example.com", agent.RoleUser), s.user("eve@example.com", agent.RoleUser)
	run := s.wordy(bob)
	b := s.as(bob)
	links := leadsTo(b.get("/runs/"+run.ID).body, "/runs/"+run.ID+"/output?")
	if len(links) != 1 {
		t.Fatalf("links to kept outputs: %v", links)
	}
	for _, got := range []answer{b.get(links[0]), s.client(bob).call(http.MethodGet, "/api/v1"+links[0], "")} {
		got.check(t, want{status: http.StatusOK, has: []string{"<b>all of " + run.ID}})
		if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
			t.Errorf("it is %s", kind)
		}
	}
	b.get("/runs/"+run.ID+"/output?call=bad").check(t, want{status: http.StatusNotFound})
	s.client(bob).call(http.MethodGet, "/api/v1/runs/"+run.ID+"/output?call=bad", "").check(t, want{status: http.StatusNotFound})
	s.as(eve).get(links[0]).check(t, want{status: http.StatusNotFound, hasNot: []string{"all of"}})
}

// leadsTo are the addresses of a page's links that begin with a text, in their order.
func leadsTo(body, start string) (found []string) {
	for _, m := range leads.FindAllStringSubmatch(body, -1) {
		if href := strings.ReplaceAll(m[2], "&amp;", "&"); strings.HasPrefix(href, start) {
			found = append(found, href)
		}
	}
	return found
}
