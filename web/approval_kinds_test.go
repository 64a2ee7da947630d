package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

func questionCard(evidence string) agent.Approval {
	return agent.Approval{
		Kind: agent.KindQuestion, Risk: agent.RiskLow, Message: "Which colour?", Evidence: json.RawMessage(evidence), ToolName: "ask_user",
		Options: []agent.Option{{ID: "1", Label: "Red"}, {ID: "2", Label: "Blue <b>"}},
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ana@example.com", agent.RoleAdmin)
	bob := s.user("bob@example.com", agent.RoleUser)
	b := s.as(bob)
	one := s.paused(bob, "one", questionCard(`{"question":"Which colour?","freeText":false}`))
	many := s.paused(bob, "many", questionCard(`{"question":"Which colour?","multiple":true,"freeText":true}`))
	path := "/approvals/" + one.ID
	radio := []string{"Which colour?", `type="radio"`, "Blue &lt;b&gt;", `value="answer"`}
	b.get("/c/"+one.ConversationID).check(t, want{status: http.StatusOK, has: radio, hasNot: []string{`type="checkbox"`, "In your own words"}})
	b.get(path).check(t, want{status: http.StatusOK, has: radio})
	b.post(path+"/decision", form("decision", "answer")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"Choose an option or type an answer."}, hasNot: []string{"answer: ", "is empty"}})
	b.post(path+"/decision", form("decision", "answer", "choices", "2")).check(t, want{status: http.StatusSeeOther, location: path})
	b.get(path).check(t, want{status: http.StatusOK, has: []string{"Answered", "Blue &lt;b&gt;</blockquote>"}})
	b.get("/c/"+one.ConversationID).check(t, want{status: http.StatusOK, has: []string{"Blue &lt;b&gt;</blockquote>"}})

	path = "/approvals/" + many.ID
	b.get(path).check(t, want{status: http.StatusOK, has: []string{`type="checkbox"`, "In your own words"}, hasNot: []string{`type="radio"`}})
	b.post(path+"/decision", url.Values{"decision": {"answer"}, "choices": {"1", "2"}, "answer": {"both"}, "generation": {"7"}}).check(t, want{
		status: http.StatusConflict, has: []string{`value="1" checked`, `value="2" checked`, "both</textarea>"},
	})
	b.post(path+"/decision", url.Values{"decision": {"answer"}, "choices": {"1", "2"}, "answer": {"both"}}).check(t, want{status: http.StatusSeeOther, location: path})
	b.get(path).check(t, want{status: http.StatusOK, has: []string{"Red; Blue &lt;b&gt;; both"}})
}

// TestDrafts: a text that the agent proposes is edited in a field. Sent as it was shown, it is
// taken as it is, with what a form does to line breaks undone; what was typed is not lost.
func TestDrafts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	b := s.as(bob)
	asks := func(chat, draft string) agent.Approval {
		return s.paused(bob, chat, agent.Approval{
			Kind: agent.KindQuestion, Risk: agent.RiskLow, Message: "Shall I send it?", ToolName: "ask_user",
			Evidence: agent.MustJSON(agent.QuestionEvidence{Question: "Shall I send it?", FreeText: true, Draft: draft}),
		})
	}
	answers := func(a agent.Approval, typed, taken string) {
		t.Helper()
		b.post("/approvals/"+a.ID+"/decision", form("decision", "answer", "answer", typed)).check(t, want{status: http.StatusSeeOther, location: "/approvals/" + a.ID})
		got, err := s.db.Approval(t.Context(), bob.Viewer(), a.ID)
		s.ok(err)
		if got.Answer != taken {
			t.Errorf("typed %q, taken %q, want %q", typed, got.Answer, taken)
		}
	}
	const draft = "\nDear <b>Bo</b>,\r\n\r\nsee \u2067you.\n"
	as, edited, typed := asks("as it is", draft), asks("edited", draft), asks("typed", "Dear Bo")
	shown := []string{"\n\nDear &lt;b&gt;Bo&lt;/b&gt;,\r\n\r\nsee \u2067you.\n</textarea>", "Use this text", `value="reject"`, `value="takeover"`, `value="abort"`, "see ‹U+2067›you."}
	for _, page := range []string{"/approvals/" + as.ID, "/c/" + as.ConversationID} {
		b.get(page).check(t, want{status: http.StatusOK, has: shown, hasNot: []string{"<b>Bo", "In your own words"}})
	}
	b.get("/c/"+as.ConversationID).check(t, want{status: http.StatusOK, has: []string{`data-question=""`}})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"Shall I send it?", "Dear &lt;b&gt;Bo&lt;/b&gt;, ⏎ ⏎ see ‹U+2067›you."}})
	s.as(ana).get("/approvals/"+as.ID).check(t, want{status: http.StatusOK, has: []string{"The agent’s draft", "see ‹U+2067›you."}, hasNot: []string{"<textarea", "\u2067"}})
	s.client(bob).call(http.MethodGet, "/api/v1/approvals/"+typed.ID, "").check(t, want{status: http.StatusOK, has: []string{`"draft":"Dear Bo"`}})

	if text, v, _ := s.client(bob).tool("approvals", nil); v["approvals"].([]any)[0].(map[string]any)["draft"] != draft || !strings.Contains(text, `The draft to edit begins: "Dear Bo"`) {
		t.Errorf("an MCP client reads %v\n%s", v, text)
	}
	answers(as, "\r\nDear <b>Bo</b>,\r\n\r\nsee \u2067you.\r\n", draft)
	answers(edited, "\r\n  Bo,\r\n\r\nbye.\r\n", "\n  Bo,\n\nbye.\n")
	b.get("/approvals/"+edited.ID).check(t, want{status: http.StatusOK, has: []string{"\n\n  Bo,\n\nbye.\n</pre>", "see ‹U+2067›you."}, hasNot: []string{"</textarea>"}})

	path := "/approvals/" + typed.ID
	b.post(path+"/decision", form("decision", "answer", "answer", "\r\nmine\r\n", "generation", "7")).check(t, want{status: http.StatusConflict, has: []string{"\n\nmine\n</textarea>"}})
	b.post(path+"/decision", form("decision", "answer", "answer", " \r\n ")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"type an answer"}})
	s.client(bob).call(http.MethodPost, "/api/v1"+path+"/decision", `{"decision":"answer","answer":"Bo,\r\n\nbye.\n"}`).check(t, want{status: http.StatusOK, has: []string{`"answer":"Bo,\r\n\nbye.\n"`}})
}

// TestOnlyTheOwnerAnswersQuestions: reviewers and admins see that a question waits, at
// every door, and at none can they answer, refuse, or abort in the owner's place.
func TestOnlyTheOwnerAnswersQuestions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rita := s.user("ana@example.com", agent.RoleAdmin), s.user("rita@example.com", agent.RoleReviewer)
	bob := s.user("bob@example.com", agent.RoleUser)
	a := s.paused(bob, "one", questionCard(`{"question":"Which colour?","freeText":true}`))
	path, call := "/approvals/"+a.ID, "/api/v1/approvals/"+a.ID+"/decision"
	waits := []string{"Which colour?", "Waiting for the owner of this chat."}
	for _, other := range []agent.User{ana, rita} {
		b, c := s.as(other), s.client(other)
		b.get(path).check(t, want{status: http.StatusOK, has: waits, hasNot: []string{"data-decide="}})
		for _, verb := range []string{"answer", "reject", "abort"} {
			b.post(path+"/decision", form("decision", verb, "answer", "Red")).check(t, want{status: http.StatusForbidden, has: []string{"Only the owner"}})
			c.call(http.MethodPost, call, `{"decision":"`+verb+`","answer":"Red"}`).check(t, want{status: http.StatusForbidden, has: []string{"Only the owner"}})
		}
		pushed := s.fragments(s.socket(b, "/ws/inbox?format=html&approval="+a.ID+"&version=99"))
		if !strings.Contains(pushed, waits[1]) || strings.Contains(pushed, "data-decide=") {
			t.Errorf("the socket sends %s: %s", other.Role, pushed)
		}
	}
	still, err := s.db.Approval(t.Context(), bob.Viewer(), a.ID)
	s.ok(err)
	if still.Status != agent.ApprovalPending {
		t.Fatalf("it is %s by %s", still.Status, still.DecidedBy)
	}
	s.client(bob).call(http.MethodPost, call, `{"decision":"answer","answer":"Red"}`).check(t, want{status: http.StatusOK, has: []string{`"answer":"Red"`}})
}

func TestOutcomeShowsWhatWasPutOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	evidence, err := json.Marshal(agent.OutcomeEvidence{ToolName: "run_shell", IdempotencyKey: "k1", StartedAt: s.clock.Now(), Output: "\nhalf <done>"})
	s.ok(err)
	a := s.paused(ana, "crash", agent.Approval{
		Kind: agent.KindOutcome, Risk: agent.RiskHigh, ToolName: "run_shell", Args: json.RawMessage(`{"command":"ls"}`), Evidence: evidence, Message: "It was cut off.",
	})
	b := s.as(ana)
	b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: []string{
		"Output before it was cut off", ">\n\nhalf &lt;done&gt;</textarea>", "with the same key", "that the outcome is unknown", "k1",
	}})
	b.post("/approvals/"+a.ID+"/decision", form("decision", "approve", "answer", "half")).check(t, want{status: http.StatusSeeOther, location: "/approvals/" + a.ID})
}

// movedFile is a tool whose file is not what it was when it was asked.
type movedFile struct{ oneTool }

func (movedFile) Evidence(string, agent.ToolInput) agent.ToolEvidence {
	return agent.ToolEvidence{Effect: agent.EffectWrite, Diff: " a\n-newer\n+new\n"}
}

func TestDiffIsOfNow(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Tools = movedFile{} })
	ana := s.user("ana@example.com", agent.RoleAdmin)
	write := shellCard(agent.RiskMedium, "")
	write.Evidence = []byte(`{"effect":"write","rule":"w","diff":" a\n-bygone\n+new\n"}`)
	a := s.paused(ana, "writing", write)
	same := shellCard(agent.RiskMedium, "")
	same.Evidence = []byte(`{"effect":"write","rule":"w","diff":" a\n-newer\n+new\n"}`)
	b := s.as(ana)
	b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: []string{"has changed since this was requested", "newer"}, hasNot: []string{"bygone"}})
	b.get("/approvals/"+s.paused(ana, "writing", same).ID).check(t, want{status: http.StatusOK, has: []string{"newer"}, hasNot: []string{"has changed since"}})
}

func TestPageAroundTheCard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	a := s.paused(ana, "first", shellCard(agent.RiskHigh, "ls"))
	b := s.as(ana)
	pages := []string{"/approvals/" + a.ID, "/runs/" + a.RunID, "/c/" + a.ConversationID}
	b.get(pages[0]).check(t, want{status: http.StatusOK, has: []string{"4.5k tokens, $0.0050", "Ask before any change", `id="looking"`}, hasNot: []string{"Next (1 left)"}})
	for _, path := range pages {
		b.get(path).check(t, want{status: http.StatusOK, hasNot: []string{"asks only for critical actions"}})
	}
	yolo := agent.ModeYolo
	_, err := s.db.UpdateConversation(t.Context(), ana.Viewer(), a.ConversationID, agent.ConversationPatch{ApprovalMode: &yolo})
	s.ok(err)
	for _, path := range pages {
		b.get(path).check(t, want{status: http.StatusOK, has: []string{"This chat asks only for critical actions"}})
	}
	other := s.paused(ana, "second", shellCard(agent.RiskHigh, "pwd"))
	b.post(pages[0]+"/decision", form("decision", "reject")).check(t, want{status: http.StatusSeeOther, location: pages[0]})
	b.get(pages[0]).check(t, want{status: http.StatusOK, has: []string{`href="/approvals/` + other.ID + `"`, "Next (1 left)"}})
}

// Without scripts the page asks whether a message shall replace what waits.
func TestMessageToAWaitingRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	a := s.paused(ana, "first", shellCard(agent.RiskHigh, "ls"))
	b := s.as(ana)
	path := "/c/" + a.ConversationID
	const hidden = `data-supersede hidden`
	b.get(path).check(t, want{status: http.StatusOK, has: []string{hidden}})
	b.post(path+"/messages", form("content", "Something <else>")).check(t, want{
		status: http.StatusConflict, has: []string{"Cancel it and send", "Keep waiting", "Something &lt;else&gt;</textarea>"}, hasNot: []string{hidden},
	})
	b.post(path+"/messages", form("content", "Something <else>", "wait", "1")).check(t, want{
		status: http.StatusOK, has: []string{hidden, "Something &lt;else&gt;</textarea>", `value="approve"`},
	})
}
