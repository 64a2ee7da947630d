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
	s.clock.Advance(10 * time.Minute)
	s.ok(s.db.TellStandstills(t.Context(), s.clock.Now().Add(-10*time.Minute), 10))
	c.call(http.MethodGet, "/api/v1/conversations/"+root.ConversationID+"/events?follow=false", "").check(t, want{status: http.StatusOK, has: []string{
		`"runId":"` + lead.ID + `","parentRunId":"` + root.ID + `","type":"notice","message":"hand has shown no progress for 10 minutes: it waits for a decision.","childRunId":"` + hand.ID + `"`,
	}})
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

// TestMessagesOfChildrenAreNotAnswered: a person's message does not come behind what child runs say, which
// is on no branch of the chat. It can be a note of theirs.
func TestMessagesOfChildrenAreNotAnswered(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	_, err := s.db.CreateAgent(t.Context(), admin.Viewer(), agent.Agent{Name: "hand", Purpose: "Helps.", Instructions: "Help."})
	s.ok(err)
	root := s.started(bob, "a report")
	child := s.childOf(root, "hand", "Write it.")
	said := agent.Message{ID: s.newID(), ConversationID: child.ConversationID, Role: agent.FromAssistant, Content: "It is written.", RunID: child.ID, CreatedAt: s.clock.Now()}
	s.append(child, agent.Change{Messages: []agent.Message{said}})
	events, err := s.db.Events(t.Context(), root.ConversationID, 0, 100)
	s.ok(err)
	var task string
	for _, e := range events {
		if d, ok := e.Data.(agent.MessageEvent); ok && d.Message.Content == "Write it." {
			task = d.Message.ID
		}
	}
	c, chat := s.client(bob), "/api/v1/conversations/"+root.ConversationID
	for _, id := range []string{task, said.ID} {
		c.call(http.MethodPost, chat+"/messages", `{"content":"And now?","parentId":"`+id+`"}`).check(t, want{
			status: http.StatusUnprocessableEntity, has: []string{"parentId: is not a message of this conversation"},
		})
	}
	c.call(http.MethodPut, chat+"/messages/"+task+"/pin", `{"pinned":true}`).check(t, want{status: http.StatusNoContent})
	c.call(http.MethodGet, chat+"/messages", "").check(t, want{status: http.StatusOK, hasNot: []string{"Write it.", `"pinned":true`}})
	if note := c.call(http.MethodPost, "/api/v1/documents", `{"messageId":"`+said.ID+`"}`); note.status != http.StatusCreated || !strings.Contains(note.body, "It is written") {
		t.Errorf("the note: %d %s", note.status, note.body)
	}
}
