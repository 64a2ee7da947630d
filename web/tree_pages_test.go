package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// handsOver has a run call for an agent and makes the child run, which runs.
func (s *site) handsOver(parent *agent.Run, name, task string) *agent.Run {
	s.t.Helper()
	return s.handsOverBy(parent, s.newID(), name, task)
}

// handsOverBy is handsOver with the id of the call.
func (s *site) handsOverBy(parent *agent.Run, call, name, task string) *agent.Run {
	s.t.Helper()
	now := s.clock.Now()
	m := agent.Message{
		ID: s.newID(), ConversationID: parent.ConversationID, Role: agent.FromAssistant, RunID: parent.ID, CreatedAt: now,
		ToolCalls: []agent.CallRequest{{ID: call, Name: agent.DelegateTool, Arguments: string(agent.MustJSON(map[string]string{"agent": name, "task": task}))}},
	}
	child := agent.Run{
		ID: s.newID(), ConversationID: parent.ConversationID, UserID: parent.UserID, Status: agent.StatusQueued, Model: "demo", Agent: name, AgentVersion: 1, CreatedAt: now,
		Lineage: agent.Lineage{ParentRunID: parent.ID, ParentCallID: call, RootRunID: parent.RootID(), Depth: parent.Lineage.Depth + 1},
	}
	told := agent.Message{ID: s.newID(), ConversationID: parent.ConversationID, Role: agent.FromUser, Content: task, RunID: child.ID, CreatedAt: now}
	s.appendTree(parent, agent.Change{Run: parent, Messages: []agent.Message{m}, Events: []agent.Event{{Data: agent.MessageEvent{Message: m}}}})
	made := agent.ToolCall{RunID: parent.ID, ID: call, Step: parent.Steps, Name: agent.DelegateTool, Args: m.ToolCalls[0].Arguments, StartedAt: now}
	for _, to := range []agent.CallChange{{Event: agent.CallAsked}, {From: agent.CallValidating, Event: agent.CallAllowed}, {From: agent.CallScheduled, Event: agent.CallClaimed}} {
		e := agent.Change{Run: parent}
		made.State = map[agent.CallEvent]agent.CallState{agent.CallAsked: agent.CallValidating, agent.CallAllowed: agent.CallScheduled, agent.CallClaimed: agent.CallExecuting}[to.Event]
		if to.Call = made; to.Event == agent.CallClaimed {
			e.Spawn = &agent.NewChild{Run: child, Message: told}
		}
		e.Calls = []agent.CallChange{to}
		e.Events = []agent.Event{{Data: agent.ToolCallStateEvent{ToolCallID: call, State: made.State}}}
		s.appendTree(parent, e)
	}
	run, err := s.db.Claim(s.t.Context(), "test", time.Hour)
	s.ok(err)
	run.StartedAt = now
	return run
}

// appendTree appends to the log of a run that may be a child.
func (s *site) appendTree(run *agent.Run, e agent.Change) {
	s.t.Helper()
	e.ParentRunID = run.Lineage.ParentRunID
	for i := range e.Events {
		e.Events[i].ParentRunID = e.ParentRunID
	}
	s.append(run, e)
}

// says adds a step to a run in which its model says something.
func (s *site) says(run *agent.Run, text string, cost int64) {
	s.t.Helper()
	u := agent.Usage{Tokens: agent.Tokens{InputTokens: 1000, OutputTokens: 100}}
	run.Steps, run.Usage, run.CostMicros = run.Steps+1, run.Usage.Add(u), run.CostMicros+cost
	now := s.clock.Now()
	m := agent.Message{ID: s.newID(), ConversationID: run.ConversationID, Role: agent.FromAssistant, Content: text, RunID: run.ID, Usage: &u, CreatedAt: now}
	s.appendTree(run, agent.Change{
		Run: run, Messages: []agent.Message{m},
		Steps:  []agent.Step{{RunID: run.ID, N: run.Steps, ConversationID: run.ConversationID, UserID: run.UserID, Model: "demo", Usage: u, CostMicros: cost, FinishReason: "stop", StartedAt: now, EndedAt: now}},
		Events: []agent.Event{{Data: agent.StepStart{MessageID: m.ID}}, {Data: agent.MessageEvent{Message: m}}, {Data: agent.StepFinish{Usage: u, CostMicros: cost, FinishReason: "stop"}}},
	})
}

func (s *site) ends(run *agent.Run, status agent.Status, why agent.StopReason) {
	s.t.Helper()
	run.Status, run.StopReason, run.EndedAt = status, why, s.clock.Now()
	s.appendTree(run, agent.Change{Run: run, Events: []agent.Event{{Data: agent.Finish{Status: status, StopReason: why, Model: "demo", Usage: run.Usage, CostMicros: run.CostMicros}}}})
}

// asks has a run ask for a command, and wait.
func (s *site) asks(run *agent.Run, path []agent.PathStep) agent.Approval {
	s.t.Helper()
	a := shellCard(agent.RiskHigh, "echo CLEAN")
	a.ID, a.RunID, a.ConversationID, a.Status, a.Generation = s.newID(), run.ID, run.ConversationID, agent.ApprovalPending, 1
	a.RequestedAt, a.ExpiresAt = s.clock.Now(), s.clock.Now().Add(24*time.Hour)
	a.Agent, a.Path = run.Agent, path
	run.Status = agent.StatusPaused
	s.appendTree(run, agent.Change{Run: run, Approvals: []agent.ApprovalChange{{Approval: a}}, Events: []agent.Event{
		{Data: a.Requested()}, {Data: agent.RunPaused{ApprovalIDs: []string{a.ID}}},
	}})
	return a
}

// waits has a run wait for children.
func (s *site) waits(run *agent.Run, children ...string) {
	s.t.Helper()
	run.Status = agent.StatusPaused
	s.appendTree(run, agent.Change{Run: run, Events: []agent.Event{{Data: agent.RunPaused{ApprovalIDs: []string{}, Children: children}}}})
}

// tree is a root that waits for two children: a writer that has ended at its step limit, and a
// lead that waits for a hand, which asks.
type tree struct {
	root, writer, lead, hand *agent.Run
	card                     agent.Approval
}

func (s *site) tree(u agent.User) tree {
	s.t.Helper()
	var x tree
	x.root = s.started(u, "tidy <up>")
	x.writer = s.handsOver(x.root, "writer", "Write a greeting")
	x.lead = s.handsOver(x.root, "lead", "Have the log tidied")
	s.waits(x.root, x.writer.ID, x.lead.ID)
	s.says(x.lead, "Hand does it.", 3000)
	x.hand = s.handsOver(x.lead, "hand", "Append CLEAN")
	s.waits(x.lead, x.hand.ID)
	s.says(x.hand, "I have to ask.", 4000)
	x.card = s.asks(x.hand, []agent.PathStep{
		{RunID: x.root.ID, Task: "please do tidy <up>"}, {RunID: x.lead.ID, Agent: "lead", Task: "Have the log tidied"}, {RunID: x.hand.ID, Agent: "hand", Task: "Append CLEAN"},
	})
	s.says(x.writer, "Hello, half of you", 2000)
	s.ends(x.writer, agent.StatusStopped, agent.StopMaxSteps)
	root, err := s.db.Claim(s.t.Context(), "test", time.Hour) // it takes in what the writer has come to
	s.ok(err)
	calls, err := s.db.ToolCalls(s.t.Context(), root.ID)
	s.ok(err)
	done := calls[slices.IndexFunc(calls, func(c agent.ToolCall) bool { return c.ID == x.writer.Lineage.ParentCallID })]
	done.State, done.ErrorType, done.Result = agent.CallError, agent.ErrTimeout, "stopped"
	s.append(root, agent.Change{Run: root, Calls: []agent.CallChange{{From: agent.CallExecuting, Event: agent.CallReturned, Call: done}}, Events: []agent.Event{
		{Data: agent.ToolCallStateEvent{ToolCallID: done.ID, State: done.State}}, {Data: agent.ToolCallResult{ToolCallID: done.ID, Result: done.Result, ErrorType: done.ErrorType}},
	}})
	x.root = root
	s.waits(x.root, x.lead.ID)
	return x
}

// TestTreeInTheChat: the chat shows the children at their calls, those at work whole, and the
// card that they wait for.
func TestTreeInTheChat(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	x := s.tree(ana)
	chat := "/c/" + x.root.ConversationID
	s.as(ana).get(chat).check(t, want{
		status: http.StatusOK,
		has: []string{
			"hand waits for a decision", `href="#a-` + x.card.ID, "stopped: step limit", `data-path="` + chat + "/runs/" + x.writer.ID, "Hand does it.",
			"I have to ask.", "waits for hand", "main chat", `action="/runs/` + x.hand.ID + `/abort"`,
		},
		hasNot: []string{"half of you</p>", `action="/runs/` + x.writer.ID + `/abort"`},
	})
	s.as(s.user("rex@example.org", agent.RoleAdmin)).get(chat).check(t, want{status: http.StatusOK, has: []string{"hand waits for your decision"}})
}

// TestChildTranscript: what a child said is at its own address, for those who may open the chat.
func TestChildTranscript(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, ben := s.user("ana@example.org", agent.RoleUser), s.user("ben@example.org", agent.RoleUser)
	x, other := s.tree(ana), s.finished(ana, "other")
	at := "/c/" + x.root.ConversationID + "/runs/"
	b := s.as(ana)
	b.get(at+x.writer.ID).check(t, want{status: http.StatusOK, has: []string{`id="run-` + x.writer.ID, "half of you"}, hasNot: []string{"<html", "I have to ask."}})
	b.get(at+x.lead.ID).check(t, want{status: http.StatusOK, has: []string{"Hand does it.", "I have to ask.", "echo CLEAN"}})
	b.get(at+x.root.ID).check(t, want{status: http.StatusSeeOther, location: "/c/" + x.root.ConversationID})
	b.get(at+other.ID).check(t, want{status: http.StatusNotFound})
	b.get(at+"none").check(t, want{status: http.StatusNotFound})
	s.as(ben).get(at+x.writer.ID).check(t, want{status: http.StatusNotFound})
}

// TestTreeOnTheRunsPage: the page of each run has the whole tree, whose sums add up.
func TestTreeOnTheRunsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	x := s.tree(ana)
	b := s.as(ana)
	var tokens, micros int64
	links := []string{}
	for _, r := range []*agent.Run{x.root, x.writer, x.lead, x.hand} {
		tokens, micros = tokens+r.Usage.Total(), micros+r.CostMicros
		links = append(links, fmt.Sprintf(`<a href="/runs/%s">`, r.ID))
	}
	sums := []string{fmt.Sprintf(`title="%d"`, tokens), "$0.01", "4 runs", "stopped: step limit"}
	b.get("/runs/"+x.root.ID).check(t, want{
		status: http.StatusOK, has: slices.Concat(links[1:], sums, []string{"waiting for lead", `href="/approvals/` + x.card.ID}), hasNot: []string{links[0]},
	})
	b.get("/runs/"+x.hand.ID).check(t, want{
		status: http.StatusOK, has: slices.Concat(links[:3], sums, []string{"Append CLEAN", "Agent hand, version 1", "main chat</a>", "lead</a>"}), hasNot: []string{links[3]},
	})
	b.get("/approvals/"+x.card.ID).check(t, want{status: http.StatusOK, has: []string{"main chat", "lead", "Have the log tidied", "Append CLEAN", "please do tidy &lt;up&gt;"}})
	b.get("/approvals?waits=others").check(t, want{status: http.StatusOK, has: []string{"main chat → lead → hand"}})
	rex := s.as(s.user("rex@example.org", agent.RoleReviewer))
	rex.get("/runs/"+x.hand.ID).check(t, want{status: http.StatusOK, has: []string{"Append CLEAN"}, hasNot: append(links, "All runs in this tree")})
	rex.get("/runs/"+x.writer.ID).check(t, want{status: http.StatusNotFound})
	page := s.as(ana).asks("zh").get("/runs/" + x.root.ID)
	page.check(t, want{status: http.StatusOK, has: []string{"这项任务的所有运行", "已停止：达到步数上限", "主对话"}})
	alone := s.finished(ana, "alone")
	b.get("/runs/"+alone.ID).check(t, want{status: http.StatusOK, hasNot: []string{"All runs in this tree"}})
}

// TestWhoStoppedAChild: a child that a person has stopped, and one whose caller's time was up, say so.
func TestWhoStoppedAChild(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	root := s.started(ana, "two things")
	one, other := s.handsOver(root, "one", "Wait."), s.handsOver(root, "other", "Wait.")
	s.waits(root, one.ID, other.ID)
	for child, by := range map[*agent.Run]string{one: ana.Email, other: agent.System} {
		s.ok(s.db.RequestAbort(t.Context(), child.ID, by))
		child.Status, child.StopReason, child.EndedAt = agent.StatusAborted, agent.StopUserAbort, s.clock.Now()
		end := agent.Finish{Status: child.Status, StopReason: child.StopReason, Model: "demo", Message: "Aborted by " + by + ". No tools ran. Send a message to continue from here."}
		s.appendTree(child, agent.Change{Run: child, Events: []agent.Event{{Data: end}}})
	}
	for _, page := range []string{"/runs/" + root.ID, "/c/" + root.ConversationID} {
		s.as(ana).get(page).check(t, want{status: http.StatusOK, has: []string{"stopped by a person", "stopped by the system"}})
		s.as(ana).asks("zh").get(page).check(t, want{status: http.StatusOK, has: []string{"已被用户停止", "已被系统停止"}})
	}
}

// TestTreeForClassicClients: clients of the first hour take all text for one answer, so that
// they hear nothing of children.
func TestTreeForClassicClients(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	x := s.tree(ana)
	log := s.as(ana).get("/api/v1/conversations/" + x.root.ConversationID + "/events?follow=false&compat=1")
	log.check(t, want{status: http.StatusOK, has: []string{"I think about it."}, hasNot: []string{"Hand does it.", "half of you", x.hand.ID}})
}

// TestTreeForMCPClients: a client is told what any run of the tree asks.
func TestTreeForMCPClients(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	x := s.tree(ana)
	c := s.client(ana)
	text, _, _ := c.tool("runs", nil)
	if !strings.Contains(text, "/approvals/"+x.card.ID) || strings.Contains(text, x.hand.ID) {
		t.Errorf("the list is %s", text)
	}
}

// TestSourcesInATree: the numbers of a child are those of its part of the chat, and lead to its list of
// sources; the answer has its own.
func TestSourcesInATree(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleAdmin)
	boiler, pump := s.source(1, ana, "the boiler"), s.source(1, ana, "the pump")
	root := s.started(ana, "pumps")
	hand := s.handsOver(root, "hand", "Look at the pump")
	s.waits(root, hand.ID)
	cites := func(run *agent.Run, text string, all ...agent.Citation) {
		m := agent.Message{ID: s.newID(), ConversationID: run.ConversationID, Role: agent.FromAssistant, Content: text, Citations: all, RunID: run.ID, CreatedAt: s.clock.Now()}
		s.appendTree(run, agent.Change{Run: run, Messages: []agent.Message{m}, Events: []agent.Event{{Data: agent.StepStart{MessageID: m.ID}}, {Data: agent.MessageEvent{Message: m}}}})
	}
	cites(hand, "[1] says the hand.", pump)
	s.ends(hand, agent.StatusFinished, agent.StopGoal)
	root, err := s.db.Claim(t.Context(), "test", time.Hour)
	s.ok(err)
	as2 := pump
	as2.N = 2
	cites(root, "Not [1]; [2] says the chat.", boiler, as2)
	s.ends(root, agent.StatusFinished, agent.StopGoal)

	b, chat := s.as(ana), "/c/"+root.ConversationID
	link := `href="/passages/` + pump.PassageID + `?document=` + pump.DocumentID + `"`
	b.get(chat).check(t, want{status: http.StatusOK, has: []string{"[2]</a> says the chat.", link, "/passages/" + boiler.PassageID}})
	b.get(chat+"/runs/"+hand.ID).check(t, want{status: http.StatusOK, has: []string{"[1]</a> says the hand.", link}, hasNot: []string{boiler.PassageID}})
	b.get("/api/v1/conversations/"+root.ConversationID+"/messages").check(t, want{status: http.StatusOK, has: []string{`"n":2,"passageId":"` + pump.PassageID}})
	b.get("/api/v1/conversations/"+root.ConversationID+"/events?follow=false").check(t, want{
		status: http.StatusOK, has: []string{`"n":1,"passageId":"` + pump.PassageID, `"n":2,"passageId":"` + pump.PassageID},
	})
}
