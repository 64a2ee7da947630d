package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// childOf makes a child run of an agent, claimed and with one step done.
func (s *site) childOf(parent *agent.Run, name, task string) *agent.Run {
	s.t.Helper()
	child := agent.Run{
		ID: s.newID(), ConversationID: parent.ConversationID, UserID: parent.UserID, Status: agent.StatusQueued, Model: "demo",
		Agent: name, AgentVersion: 1, CreatedAt: s.clock.Now(),
		Lineage: agent.Lineage{ParentRunID: parent.ID, ParentCallID: "c1", RootRunID: parent.RootID(), Depth: parent.Lineage.Depth + 1},
	}
	s.append(parent, agent.Change{Spawn: &agent.NewChild{Run: child, Message: agent.Message{
		ID: s.newID(), ConversationID: child.ConversationID, Role: agent.FromUser, Content: task, RunID: child.ID, CreatedAt: child.CreatedAt,
	}}})
	run, err := s.db.Claim(s.t.Context(), "test", time.Hour)
	s.ok(err)
	run.StartedAt = s.clock.Now()
	s.step(run)
	return run
}

// TestTreeOfRuns: a run names its parent, its children, and the bill of its tree; a card of a
// child says who asks for whom, and belongs to the owner of the chat like everything else.
func TestTreeOfRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, bob, eve := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser), s.user("eve@example.com", agent.RoleUser)
	root := s.started(bob, "a report")
	for _, name := range []string{"lead", "hand"} {
		_, err := s.db.CreateAgent(t.Context(), admin.Viewer(), agent.Agent{Name: name, Purpose: "Helps.", Instructions: "Help."})
		s.ok(err)
	}
	lead := s.childOf(root, "lead", "Have it written.")
	hand := s.childOf(lead, "hand", "Write it.")
	card := shellCard(agent.RiskHigh, "ls")
	card.ID, card.RunID, card.ConversationID, card.Status, card.Generation = s.newID(), hand.ID, hand.ConversationID, agent.ApprovalPending, 1
	card.RequestedAt, card.ExpiresAt, card.Agent = s.clock.Now(), s.clock.Now().Add(time.Hour), "hand"
	card.Path = []agent.PathStep{{RunID: root.ID, Task: "please do a report"}, {RunID: lead.ID, Agent: "lead", Task: "Have it written."}, {RunID: hand.ID, Agent: "hand", Task: "Write it."}}
	hand.Status = agent.StatusPaused
	s.append(hand, agent.Change{Run: hand, ParentRunID: lead.ID, Approvals: []agent.ApprovalChange{{Approval: card}}})

	c := s.client(bob)
	c.call(http.MethodGet, "/api/v1/runs/"+root.ID, "").check(t, want{status: http.StatusOK, has: []string{
		`"rootRunId":"` + root.ID + `"`, `"children":["` + lead.ID + `"]`, `"tree":{"runs":3,`, `"costMicros":15000,"agents":[{"runs":1,`, `{"agent":"lead","runs":1,`,
	}, hasNot: []string{`"parentRunId"`}})
	c.call(http.MethodGet, "/api/v1/runs/"+hand.ID, "").check(t, want{status: http.StatusOK, has: []string{
		`"parentRunId":"` + lead.ID + `"`, `"rootRunId":"` + root.ID + `"`, `"agent":"hand","agentVersion":1`, `"children":[]`, `"pendingApprovalIds":["` + card.ID + `"]`,
	}, hasNot: []string{`"tree"`}})
	c.call(http.MethodGet, "/api/v1/approvals/"+card.ID, "").check(t, want{status: http.StatusOK, has: []string{
		`"agent":"hand"`, `"path":[{"runId":"` + root.ID + `","task":"please do a report"},{"runId":"` + lead.ID + `","agent":"lead","task":"Have it written."}`,
	}})
	log := c.call(http.MethodGet, "/api/v1/conversations/"+root.ConversationID+"/events?follow=false", "").body
	if !strings.Contains(log, `"runId":"`+hand.ID+`","parentRunId":"`+lead.ID+`","type":"run-start","model":"demo"`) || !strings.Contains(log, `"task":"Write it.","toolCallId":"c1"`) {
		t.Errorf("the log does not say what a child is to do: %s", log)
	}
	c.call(http.MethodGet, "/api/v1/conversations/"+root.ConversationID+"/messages", "").check(t, want{status: http.StatusOK, hasNot: []string{"Write it."}})
	for _, id := range []string{root.ID, lead.ID, hand.ID} {
		s.client(eve).call(http.MethodGet, "/api/v1/runs/"+id, "").check(t, want{status: http.StatusNotFound})
		s.client(eve).call(http.MethodPost, "/api/v1/runs/"+id+"/abort", "").check(t, want{status: http.StatusNotFound})
	}
	c.call(http.MethodPost, "/api/v1/runs/"+root.ID+"/abort", "").check(t, want{status: http.StatusAccepted})
	for _, id := range []string{root.ID, lead.ID, hand.ID} {
		if run, err := s.db.Run(t.Context(), bob.Viewer(), id); err != nil || run.AbortBy != bob.Email {
			t.Errorf("run %s is to end by %q (%v)", id, run.AbortBy, err)
		}
	}
}
