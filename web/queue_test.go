package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

// queued has a message wait in a conversation in which a run works.
func (s *site) queued(conversationID string, u agent.User, text string) string {
	s.t.Helper()
	done, err := s.db.AddQueued(s.t.Context(), agent.QueuedMessage{ID: s.newID(), ConversationID: conversationID, UserID: u.ID, Content: text})
	s.ok(err)
	return done.ID
}

type queueBody struct {
	Items []struct{ ID, Content, DocumentID, Agent, SteersRunID, GoesIn string }
	Held  bool
}

// TestQueueByProgram: a message waits, is changed, moved, and taken back; a run that is stopped
// holds the others until they are let go; what was sent once starts nothing twice.
func TestQueueByProgram(t *testing.T) {
	t.Parallel()
	var messages *service.Messages
	s := newSite(t, func(o *web.Options) { messages = o.Messages })
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "a")
	c := s.client(ana)
	chat := "/api/v1/conversations/" + run.ConversationID
	send := func(body string) string {
		return decoded[struct{ QueuedID string }](t, c.call("POST", chat+"/messages", body), http.StatusAccepted).QueuedID
	}
	document := s.newID()
	_, err := s.db.AddDocument(t.Context(), agent.Document{ID: document, AddedBy: ana.ID, Name: "notes", State: agent.DocumentReading, AddedAt: s.clock.Now()})
	s.ok(err)
	_, err = s.db.CreateAgent(t.Context(), agent.Viewer{Email: "x"}, agent.Agent{Name: "writer", Purpose: "Writes.", Instructions: "Write."})
	s.ok(err)
	one, two := send(`{"content":"one","queue":true,"clientId":"1"}`), send(`{"content":"two","queue":true,"documentId":"`+document+`","agent":"writer"}`)
	if again := send(`{"content":"one","queue":true,"clientId":"1"}`); again != one {
		t.Errorf("sent once more it waits as %s", again)
	}
	for _, tc := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/messages", `{"content":"now"}`, 409},
		{"POST", "/messages", `{"content":"x","queue":true,"supersede":true}`, 422},
		{"POST", "/messages", `{"content":"x","queue":true,"outputs":{"sum":"number"}}`, 422},
		{"PATCH", "/queue/" + one, `{"content":" "}`, 422},
		{"PATCH", "/queue/" + one, `{"position":-1}`, 422},
		{"PATCH", "/queue/nope", `{"position":0}`, 404},
		{"DELETE", "/queue/nope", "", 404},
		{"POST", "/queue/nope/steer", "", 404},
		{"PATCH", "/queue/" + two, `{"position":0,"content":"second"}`, 204},
	} {
		c.call(tc.method, chat+tc.path, tc.body).check(t, want{status: tc.status})
	}
	q := decoded[queueBody](t, c.call("GET", chat+"/queue", ""), http.StatusOK)
	if len(q.Items) != 2 || q.Items[0].Content != "second" || q.Items[0].DocumentID != document || q.Items[0].Agent != "writer" || q.Items[1].ID != one || q.Held {
		t.Errorf("there wait %+v", q)
	}
	c.call("DELETE", chat+"/queue/"+two, "").check(t, want{status: 204})
	run.Status, run.StopReason, run.EndedAt = agent.StatusAborted, agent.StopUserAbort, s.clock.Now()
	s.append(run, agent.Change{Run: run})
	s.ok(messages.SendNext(t.Context(), ""))
	if q := decoded[queueBody](t, c.call("GET", chat+"/queue", ""), http.StatusOK); len(q.Items) != 1 || !q.Held {
		t.Errorf("there wait %+v", q)
	}
	c.call("POST", chat+"/queue/resume", "").check(t, want{status: 202})
	c.call("GET", chat+"/messages", "").check(t, want{status: 200, has: []string{`"content":"one"`}})
	s.ok(messages.SendNext(t.Context(), ""))
	c.call("GET", chat+"/events?follow=false", "").check(t, want{status: 200, has: []string{`"type":"queue","items":[],"held":false`, `"held":true`}})
	c.call("POST", chat+"/messages", `{"content":"one","queue":true,"clientId":"1"}`).check(t, want{status: 202, has: []string{`"messageId"`, `"runId"`}})
}

// TestSteerByProgram: what a person says to a run at work waits until that hears it, and can be
// taken back until then; a message that waits can be said now.
func TestSteerByProgram(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	card := s.paused(ana, "a", shellCard(agent.RiskHigh, "ls"))
	c := s.client(ana)
	chat, steer := "/api/v1/conversations/"+card.ConversationID, "/api/v1/runs/"+card.RunID+"/steer"
	type steered struct{ ID, RunID, GoesIn string }
	done := decoded[steered](t, c.call("POST", steer, `{"content":"mind the tyre","clientId":"1"}`), http.StatusAccepted)
	if again := decoded[steered](t, c.call("POST", steer, `{"content":"mind the tyre","clientId":"1"}`), http.StatusAccepted); again.ID != done.ID {
		t.Errorf("it was said twice: %+v, %+v", done, again)
	}
	c.call("POST", steer, `{"content":" "}`).check(t, want{status: 422})
	waits := s.queued(card.ConversationID, ana, strings.Repeat("long ", 200))
	c.call("POST", chat+"/queue/"+waits+"/steer", "").check(t, want{status: 202, has: []string{`"goesIn":"after_decision"`, card.RunID}})
	q := decoded[queueBody](t, c.call("GET", chat+"/queue", ""), http.StatusOK)
	if len(q.Items) != 2 || q.Items[0].Content != "mind the tyre" || q.Items[1].SteersRunID != card.RunID || q.Items[1].GoesIn != "after_decision" {
		t.Errorf("there wait %+v", q)
	}
	c.call("GET", chat+"/events?follow=false", "").check(t, want{status: 200, has: []string{`"cut":true`}})
	for _, it := range q.Items {
		c.call("DELETE", chat+"/queue/"+it.ID, "").check(t, want{status: 204})
	}
	ended := s.finished(ana, "b")
	c.call("POST", "/api/v1/runs/"+ended.ID+"/steer", `{"content":"hi"}`).check(t, want{status: 409})
	works := s.started(ana, "c")
	c.call("POST", "/api/v1/runs/"+works.ID+"/steer", `{"content":"hi"}`).check(t, want{status: 202, has: []string{`"goesIn":"after_step"`}})
}
