package present

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// cardScript is a log with everything that can become of a card.
func cardScript() *script {
	s := newScript()
	s.said("r1", "u1", "Clean up")
	s.add("r1", 0, agent.RunStart{Model: "demo"})
	s.add("r1", 1, agent.StepStart{MessageID: "m1"}, agent.ToolCallStart{ToolCallID: "c1", ToolName: "run_shell"},
		agent.ToolCallStart{ToolCallID: "q1", ToolName: "ask_user"},
		answered("m1", "", agent.CallRequest{ID: "c1", Name: "run_shell", Arguments: `{"command":"rm -rf a"}`},
			agent.CallRequest{ID: "q1", Name: "ask_user", Arguments: `{"question":"Which?"}`}))
	ask := agent.ApprovalRequestedEvent{
		ApprovalID: "a1", Kind: agent.KindTool, ToolCallID: "c1", Risk: agent.RiskCritical, Message: "It removes files.", ArgsHash: "h1",
		Generation: 1, Needs: 2, Evidence: json.RawMessage(`{"effect":"exec","rule":"r","command":"rm -rf a"}`), ExpiresAt: s.at.Add(time.Hour),
		Pattern: agent.Pattern{"command": "rm *"},
	}
	voted := ask
	voted.Votes = []agent.Vote{{By: "ana@example.com", At: s.at, Comment: "Fine <by> me"}}
	edited := ask
	edited.Generation, edited.Author, edited.Needs = 2, "ana@example.com", 1
	edited.Args, edited.OriginalArgs = json.RawMessage(`{"command":"rm -rf b"}`), json.RawMessage(`{"command":"rm -rf a"}`)
	edited.Risk, edited.Pattern = agent.RiskHigh, agent.Pattern{"command": "rm *"}
	again := edited
	again.Generation = 3
	approved := agent.ApprovalDecidedEvent{
		ApprovalID: "a1", Kind: "tool", ToolCallID: "c1", Decision: "approve", DecidedBy: "bob@example.com", UndoUntil: s.at.Add(time.Minute),
		Scope: agent.ScopeConversation, Covers: agent.Pattern{"command": "rm *"},
	}
	s.add("r1", 1, agent.ToolCallStateEvent{ToolCallID: "c1", State: agent.CallAwaiting}, ask, voted, edited,
		agent.ApprovalRequestedEvent{ApprovalID: "a2", Kind: agent.KindQuestion, ToolCallID: "q1", Risk: agent.RiskLow, Message: "Which?", Generation: 1,
			Evidence: json.RawMessage(`{"question":"Which?","multiple":true}`), Options: []agent.Option{{ID: "1", Label: "Red"}, {ID: "2", Label: "Blue"}}},
		agent.RunPaused{ApprovalIDs: []string{"a1", "a2"}},
		agent.ApprovalDecidedEvent{ApprovalID: "a1", Kind: "tool", ToolCallID: "c1", Decision: "expired", DecidedBy: "system"}, again, approved)
	undone := again
	undone.Generation = 4
	s.add("r1", 1, undone, approved,
		agent.ApprovalDecidedEvent{ApprovalID: "a2", Kind: "question", ToolCallID: "q1", Decision: "answer", DecidedBy: "o", Answer: "Red; Blue"},
		agent.RunResumed{By: "bob@example.com"},
		agent.ToolCallStateEvent{ToolCallID: "c1", State: agent.CallScheduled}, agent.ToolCallStateEvent{ToolCallID: "c1", State: agent.CallExecuting},
		agent.ToolCallResult{ToolCallID: "c1", Result: "gone"}, agent.ToolCallStateEvent{ToolCallID: "c1", State: agent.CallSuccess},
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal})
	s.said("r2", "u2", "Again")
	s.add("r2", 0, agent.RunStart{Model: "demo"})
	s.add("r2", 1, agent.StepStart{MessageID: "m2"}, agent.ToolCallStart{ToolCallID: "d1", ToolName: "run_shell"}, agent.ToolCallStart{ToolCallID: "d2", ToolName: "run_shell"},
		answered("m2", "", agent.CallRequest{ID: "d1", Name: "run_shell", Arguments: `{"command":"rm c"}`}, agent.CallRequest{ID: "d2", Name: "run_shell", Arguments: `{"command":"ls"}`}),
		agent.ToolCallStateEvent{ToolCallID: "d1", State: agent.CallScheduled, Rule: agent.ParseAuthority("scope:conversation:a1")},
		agent.ToolCallStateEvent{ToolCallID: "d2", State: agent.CallScheduled, Rule: agent.ParseAuthority("rule:77")},
		agent.ToolCallStateEvent{ToolCallID: "d1", State: agent.CallExecuting},
		agent.Notice{Message: "ana took it back.", RevokedID: "a1", RevokedBy: "ana@example.com"})
	return s
}

// as is a page of the card script for one viewer.
func as(email string, role agent.Role, owner string) func() *Presenter {
	return func() *Presenter {
		p := fold(agent.Conversation{ID: "c1", OwnerID: owner}, role != agent.RoleUser)
		p.Viewer = agent.Viewer{UserID: "me", Email: email, Role: role}
		p.Schema = func(string) json.RawMessage {
			return json.RawMessage(`{"type":"object","required":["command"],"properties":{"command":{"type":"string"}}}`)
		}
		return p
	}
}

// The cards of a page that was open all the time are those of one that is
// loaded now, whatever becomes of them, and for everybody.
func TestLiveCardsEqualReload(t *testing.T) {
	t.Parallel()
	end := liveEqualsReload(t, cardScript().events, as("bob@example.com", agent.RoleAdmin, "o"))
	for _, text := range []string{
		"Revoked by", "calls like command = rm *", "Red; Blue", "bob@example.com’s approval for this conversation", `href="/approvals/a1"`,
		"Allowed by a standing rule", `href="/admin/tools#rule-77"`,
	} {
		if !strings.Contains(end, text) {
			t.Errorf("the end lacks %q", text)
		}
	}
	for _, text := range []string{"/undo", "/revoke", "/again"} {
		if strings.Contains(end, text) {
			t.Errorf("the end still offers %s", text)
		}
	}
	liveEqualsReload(t, cardScript().events, as("ana@example.com", agent.RoleReviewer, "o"))
	liveEqualsReload(t, cardScript().events, as("o", agent.RoleUser, "me"))
}

// What each viewer sees of a card as it goes through its states.
func TestCardByStateAndViewer(t *testing.T) {
	t.Parallel()
	log := cardScript().events
	until := func(view func() *Presenter, is func(agent.EventData) bool, nth int) string {
		p := view()
		for _, e := range log {
			p.Apply(e)
			if is(e.Data) {
				if nth--; nth == 0 {
					return RenderToString(p.Text, p.cards.view("a1"))
				}
			}
		}
		t.Fatal("the log does not get there")
		return ""
	}
	asked := func(d agent.EventData) bool {
		r, ok := d.(agent.ApprovalRequestedEvent)
		return ok && r.ApprovalID == "a1"
	}
	decided := func(verb string) func(agent.EventData) bool {
		return func(d agent.EventData) bool { r, ok := d.(agent.ApprovalDecidedEvent); return ok && r.Decision == verb }
	}
	finished := func(d agent.EventData) bool { _, ok := d.(agent.Finish); return ok }
	ana, bob := as("ana@example.com", agent.RoleReviewer, "o"), as("bob@example.com", agent.RoleReviewer, "o")
	reader, owner := as("eve@example.com", agent.RoleUser, "o"), as("o", agent.RoleUser, "me")
	const approve = `value="approve"`
	for _, row := range []struct {
		name     string
		card     string
		has, not []string
	}{
		{"nobody yet", until(bob, asked, 1), []string{"0 of 2 approved.", approve, `value="edit_form"`, `name="arg/command"`}, []string{`name="scope"`}},
		{"one vote, for another", until(bob, asked, 2), []string{"1 of 2 approved.", "ana@example.com", "Fine &lt;by&gt; me", approve}, nil},
		{"one vote, for who gave it", until(ana, asked, 2), []string{"1 of 2 approved.", "It needs another reviewer", `value="reject"`}, []string{approve, `data-key="a"`, "<kbd>a</kbd>"}},
		{"edited, for another", until(bob, asked, 3), []string{"Edited by ana@example.com", "rm -rf b", `diff-del">-`, approve, "calls like command = rm *"}, []string{"of 2 approved"}},
		{"edited, for its author", until(ana, asked, 3), []string{"edited these arguments, so another reviewer"}, []string{approve}},
		{"expired", until(bob, decided("expired"), 1), []string{"Expired without a decision", `action="/approvals/a1/again"`, "Ask again"}, []string{"data-key", "/decision"}},
		{"expired, for its owner", until(owner, decided("expired"), 1), []string{"Ask again"}, nil},
		{"expired, for a reader", until(reader, decided("expired"), 1), []string{"Expired"}, []string{"/again"}},
		{"may be undone", until(bob, decided("approve"), 1), []string{"Approved", "Time left to undo", `action="/approvals/a1/undo"`, "data-until", "Covers calls like command = rm *", `action="/approvals/a1/revoke"`}, []string{"/decision"}},
		{"may be undone, for a reader", until(reader, decided("approve"), 1), []string{"Time left to undo"}, []string{"<form"}},
		{"undone", until(bob, asked, 5), []string{approve, "Edited by"}, []string{"/undo"}},
		{"in effect", until(bob, finished, 1), []string{"/revoke"}, []string{"/undo", "Time left to undo"}},
	} {
		for _, text := range row.has {
			if !strings.Contains(row.card, text) {
				t.Errorf("%s: lacks %q\n%s", row.name, text, row.card)
			}
		}
		for _, text := range row.not {
			if strings.Contains(row.card, text) {
				t.Errorf("%s: must not have %q\n%s", row.name, text, row.card)
			}
		}
	}
}
