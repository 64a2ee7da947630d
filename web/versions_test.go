package web_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
	"fusebox/web"
)

// countedShell is a toolbox whose commands only count.
type countedShell struct {
	oneTool
	mu  sync.Mutex
	ran []string
}

func (c *countedShell) Execute(_ context.Context, name string, in agent.ToolInput) agent.ToolResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ran = append(c.ran, name+" "+string(in.Args))
	return agent.ToolResult{Content: "done"}
}

// talk is a conversation whose model plays turns.
type talk struct {
	client
	messages *service.Messages
	id       string
	ana      agent.User
	rex      client
	tools    *countedShell
	model    *agenttest.Provider
}

func newTalk(t *testing.T, turns ...agenttest.Turn) *talk {
	t.Helper()
	var messages *service.Messages
	s := newSite(t, func(o *web.Options) { messages = o.Messages })
	s.user("first@example.org", agent.RoleAdmin)
	ana := s.user("ana@example.org", agent.RoleUser)
	c, rex := s.client(ana), s.client(s.user("rex@example.org", agent.RoleReviewer))
	return &talk{client: c, messages: messages, ana: ana, rex: rex, id: c.conversation(), tools: &countedShell{}, model: agenttest.Script(turns...)}
}

// runs has a call that begins a run answered, and lets the run go on until it waits or ends.
func (k *talk) runs(path string, in fields) (messageID string, run *agent.Run) {
	k.s.t.Helper()
	var done agent.Enqueued
	k.s.ok(json.Unmarshal([]byte(k.says("POST", path, in, 202).body), &done))
	return done.MessageID, k.goOn(done.RunID)
}

func (k *talk) goOn(runID string) *agent.Run {
	k.s.t.Helper()
	engine := k.s.engine(k.model, k.tools)
	for {
		run, err := k.s.db.Claim(k.s.t.Context(), "test", 1<<40)
		if agent.CodeOf(err) == agent.NotFound {
			break
		}
		k.s.ok(err)
		k.s.ok(engine.Advance(k.s.t.Context(), run))
	}
	run, err := k.s.db.Run(k.s.t.Context(), agent.Viewer{Role: agent.RoleAdmin}, runID)
	k.s.ok(err)
	return run
}

// approves has a reviewer decide what a run waits for.
func (k *talk) approves(run *agent.Run, scope agent.Scope) *agent.Run {
	k.s.t.Helper()
	card := k.s.pending(run)
	k.rex.says("POST", "/api/v1/approvals/"+card.ID+"/decision", fields{"decision": "approve", "scope": scope, "argsHash": card.ArgsHash, "generation": card.Generation}, 200)
	return k.goOn(run.ID)
}

func (k *talk) say(text, parent string) (messageID string) {
	k.s.t.Helper()
	id, _ := k.runs("/api/v1/conversations/"+k.id+"/messages", fields{"content": text, "parentId": parent})
	return id
}

// branch is the branch that a message names, "" for the one that is chosen.
func (k *talk) branch(messageID string) []agent.Message {
	k.s.t.Helper()
	var list struct{ Items []agent.Message }
	k.s.ok(json.Unmarshal([]byte(k.says("GET", "/api/v1/conversations/"+k.id+"/messages?branch="+messageID, nil, 200).body), &list))
	return list.Items
}

// texts are what a branch says.
func texts(messages []agent.Message) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Content)
	}
	return strings.Join(all, " | ")
}

// asked is what the model was last asked.
func (k *talk) asked() string {
	requests := k.model.Requests()
	return texts(requests[len(requests)-1].Messages)
}

func (k *talk) is(what, got, want string) {
	k.s.t.Helper()
	if got != want {
		k.s.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (k *talk) choose(messageID string) {
	k.s.t.Helper()
	k.says("PATCH", "/api/v1/conversations/"+k.id, fields{"leafId": messageID}, 200)
}

func turn(text string) agenttest.Turn {
	return agenttest.Turn{Text: text, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 20}}}
}

func shellTurn(id, command string) agenttest.Turn {
	t := turn("")
	t.Calls = []agent.CallRequest{agenttest.Call(id, "run_shell", `{"command":"`+command+`"}`)}
	return t
}

// TestVersions: an edit begins a branch under the message that it is given, another answer one under the
// same message, and each is asked what is seen of it alone; all can be reached again, also after a restart.
func TestVersions(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("a1"), turn("a2"), turn("a3"), turn("b2"), turn("b3"), turn("c2"))
	m1 := k.say("alpha", "")
	m2 := k.say("beta", "")
	k.say("gamma", "")
	first := k.branch("")
	a1, a2 := first[1].ID, first[3].ID

	edited := k.say("edited", a1)
	k.is("an edit is asked", k.asked(), "alpha | a1 | edited")
	k.say("and now", a2)
	k.is("an edit elsewhere is asked", k.asked(), "alpha | a1 | beta | a2 | and now")

	id, run := k.runs("/api/v1/messages/"+a2+"/regenerate", fields{"model": "local/<small>"})
	k.is("it answers", id, m2)
	k.is("by", run.Model, "local/<small>")
	k.is("another answer is asked", k.asked(), "alpha | a1 | beta")
	now := k.branch("")
	k.is("it is shown", texts(now), "alpha | a1 | beta | c2")
	k.is("versions of the answer", strings.Join(now[3].Siblings, " "), a2+" "+now[3].ID)
	k.is("versions of the message", strings.Join(now[2].Siblings, " "), m2+" "+edited)
	if now[0].Siblings != nil || now[0].ID != m1 {
		t.Errorf("the first message has versions: %v", now[0].Siblings)
	}
	k.choose(first[5].ID)
	for _, s := range []*site{k.s, k.s.restarted()} {
		k.s = s
		k.is("the chosen one", texts(k.branch("")), "alpha | a1 | beta | a2 | gamma | a3")
		k.is("that one", texts(k.branch(edited)), "alpha | a1 | edited | b2")
		k.is("the newest below", texts(k.branch(a2)), "alpha | a1 | beta | a2 | and now | b3")
	}
	k.say("next", "")
	k.is("what follows is asked", k.asked(), "alpha | a1 | beta | a2 | gamma | a3 | next")
	k.says("GET", "/api/v1/conversations/"+k.id+"/messages?branch=nothing", nil, 404)
	other := k.conversation()
	k.says("GET", "/api/v1/conversations/"+other+"/messages?branch="+a1, nil, 404)
	k.says("PATCH", "/api/v1/conversations/"+other, fields{"leafId": a1}, 422).has(`"field":"leafId"`)
	k.says("POST", "/api/v1/conversations", fields{"leafId": a1}, 422).has(`"field":"leafId"`)
	k.says("GET", "/api/v1/conversations/"+k.id+"/events?follow=false", nil, 200).has(`"type":"branch","leafId":"` + first[5].ID)
}

// TestRunStaysInItsBranch: what a run writes is shown only where it is; choosing another branch meanwhile
// stands, and there is no second run.
func TestRunStaysInItsBranch(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("one"), shellTurn("c1", "ls"), turn("two"), shellTurn("c2", "ls"), turn("four"))
	m := k.say("go", "")
	one := k.branch("")[1].ID
	_, run := k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	k.is("shown", string(run.Status)+" "+k.branch("")[1].RunID, "paused "+run.ID)
	k.choose(one)
	k.says("POST", "/api/v1/messages/"+one+"/regenerate", fields{}, 409).has("still active")
	k.says("POST", "/api/v1/messages/"+one+"/continue", nil, 409)
	k.says("DELETE", "/api/v1/messages/"+m, nil, 409).has("still works")
	k.approves(run, agent.ScopeOnce)
	k.is("chosen", texts(k.branch("")), "go | one")
	versions := k.branch("")[1].Siblings
	k.is("the other", texts(k.branch(versions[1])), "go |  | done | two")
	if len(k.tools.ran) != 1 {
		t.Errorf("ran %v", k.tools.ran)
	}
	// A card of a branch that is left is settled first.
	_, waits := k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	k.s.pending(waits)
	k.says("POST", "/api/v1/conversations/"+k.id+"/messages", fields{"content": "no"}, 409)
	k.says("POST", "/api/v1/runs/"+waits.ID+"/abort", nil, 202)
	k.goOn(waits.ID)
	_, run = k.runs("/api/v1/messages/"+one+"/regenerate", fields{"supersede": true})
	k.is("asked", k.asked(), "go")
	k.is("shown", k.branch("")[1].Content, "four")
	if len(k.tools.ran) != 1 || run.Status != agent.StatusFinished {
		t.Errorf("ran %v, %s", k.tools.ran, run.Status)
	}
}

// TestEffectsStay: what a run has done is named before another version begins, it is not done again unless
// that is approved again, and only what was allowed for the conversation holds.
func TestEffectsStay(t *testing.T) {
	t.Parallel()
	k := newTalk(t, shellTurn("c1", "book"), turn("a"), shellTurn("c1", "book"), turn("b"), shellTurn("c1", "book"), turn("c"))
	m, run := k.runs("/api/v1/conversations/"+k.id+"/messages", fields{"content": "book it"})
	k.approves(run, agent.ScopeRun)
	k.says("GET", "/api/v1/messages/"+m+"/effects", nil, 200).has(`"tool":"run_shell"`, `"what":"book"`, `"toolCallId":"c1"`, run.ID)
	_, second := k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	if second.Status != agent.StatusPaused || len(k.tools.ran) != 1 {
		t.Fatalf("%s: what was allowed for the run before holds: %v", second.Status, k.tools.ran)
	}
	k.approves(second, agent.ScopeConversation)
	_, third := k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	if third.Status != agent.StatusFinished || len(k.tools.ran) != 3 {
		t.Errorf("%s: %v", third.Status, k.tools.ran)
	}
	first := k.branch("")[1].Siblings[0]
	k.says("GET", "/api/v1/messages/"+first+"/effects", nil, 200).has(run.ID).hasNot(third.ID)
}

// TestContinue: an answer that was cut goes on in a run of its own behind it; a whole one does not.
func TestContinue(t *testing.T) {
	t.Parallel()
	cut := turn("one, two,")
	cut.Finish = "length"
	down := agenttest.Turn{Text: "no", Err: &agent.ProviderError{Status: 503, Message: "Down.", Attempts: 1}}
	k := newTalk(t, cut, down, turn("three"), turn("whole"))
	m := k.say("count", "")
	answer := k.branch("")[1].ID
	k.says("POST", "/api/v1/messages/"+m+"/continue", nil, 409).has("Only an answer")
	id, run := k.runs("/api/v1/messages/"+answer+"/continue", nil)
	k.is("behind", id, answer)
	k.is("broke off", string(run.Status), "failed")
	again, err := k.s.db.Run(t.Context(), agent.Viewer{Role: agent.RoleAdmin}, run.ID)
	k.s.ok(err)
	k.runs("/api/v1/runs/"+again.ID+"/again", nil)
	asked := k.asked()
	if !strings.HasPrefix(asked, "count | one, two, | [System reminder] Your answer above was cut off") || strings.Count(asked, "|") != 2 {
		t.Errorf("asked %q", asked)
	}
	now := k.branch("")
	k.is("it goes on", texts(now), "count | one, two, | three")
	k.says("POST", "/api/v1/messages/"+now[2].ID+"/continue", nil, 409).has("not cut off")
	k.say("thanks", "")
	k.is("and on", k.asked(), "count | one, two, | three | thanks")
}

// TestDeleteVersions: one version of an answer goes with all that follows it, the others stay whole; the
// text is gone everywhere, and what was paid and done is not.
func TestDeleteVersions(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("first"), turn("under first"), turn("second"), shellTurn("c1", "ls"), turn("third-secret"), turn("under-secret"), turn("fourth"), turn("fifth"), turn("sixth"))
	m := k.say("go", "")
	k.say("more", "")
	first := k.branch("")
	k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	_, third := k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	third = k.approves(third, agent.ScopeOnce)
	k.say("last-secret", "")
	whole := k.branch("")
	last := whole[len(whole)-1]

	k.says("GET", "/api/v1/messages/"+whole[3].ID+"/below", nil, 200).has(`{"deleted":5,"shown":3}`)
	k.says("DELETE", "/api/v1/messages/"+whole[3].ID, nil, 200).has(`{"deleted":5,"shown":3}`) // the answer's last message names all of it
	now := k.branch("")
	k.is("shown", texts(now), "go | second")
	k.is("versions", strings.Join(now[1].Siblings, " "), first[1].ID+" "+now[1].ID)
	k.is("the first", texts(k.branch(first[1].ID)), "go | first | more | under first")
	for _, path := range []string{"/api/v1/conversations/" + k.id + "/messages?branch=" + last.ID, "/api/v1/messages/" + last.ID + "/below", "/api/v1/messages/" + last.ID + "/effects"} {
		k.says("GET", path, nil, 404)
	}
	k.says("GET", "/api/v1/conversations/"+k.id+"/events?follow=false", nil, 200).has(`"type":"message-deleted","messageId":"` + whole[1].ID).hasNot("secret")
	k.says("GET", "/api/v1/conversations/"+k.id+"/find?q=secret", nil, 200).has(`"total":0`)
	k.says("GET", "/api/v1/runs/"+third.ID, nil, 200).has(`"costMicros":280`, `"deletedAt":`)
	page := k.s.as(k.ana)
	page.get("/runs/"+third.ID).check(t, want{status: 200, has: []string{"run_shell"}, hasNot: []string{"secret"}})
	page.get("/c/"+k.id).check(t, want{status: 200, has: []string{"second"}, hasNot: []string{"secret"}})
	if row := k.s.auditOf("message.delete"); row.Target != whole[1].ID || !strings.Contains(row.Detail, `"messages":5`) {
		t.Errorf("audited: %+v", row)
	}
	k.says("POST", "/api/v1/runs/"+third.ID+"/again", nil, 409)

	k.runs("/api/v1/messages/"+now[1].ID+"/regenerate", fields{"replace": true})
	now = k.branch("")
	k.is("replaced", texts(now), "go | fourth")
	k.is("versions", strings.Join(now[1].Siblings, " "), first[1].ID+" "+now[1].ID)
	k.says("POST", "/api/v1/messages/"+m+"/regenerate", fields{"replace": true}, 422).has(`"field":"replace"`)
	k.says("DELETE", "/api/v1/messages/"+first[1].ID, nil, 200)
	k.is("the one that is shown stays", texts(k.branch("")), "go | fourth")
	if k.branch("")[1].Siblings != nil {
		t.Error("one answer has versions")
	}
	k.says("DELETE", "/api/v1/messages/"+k.branch("")[1].ID, nil, 200)
	k.is("without an answer", texts(k.branch("")), "go")
	k.say("again", "")
	k.is("asked", k.asked(), "go | again")
	k.says("DELETE", "/api/v1/messages/"+m, nil, 200)
	k.is("empty", texts(k.branch("")), "")
	k.say("new", "")
	k.is("asked", k.asked(), "new")
	k.is("used", texts(k.branch("")), "new | sixth")
}

// TestVersionsKeepWhatWasGiven: an edit has the document that it names, another answer what its message declared.
func TestVersionsKeepWhatWasGiven(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("a"), turn("b"), turn("c"), turn("d"), turn("e"), turn("f"), turn("g"), turn("h"))
	doc := k.says("POST", "/api/v1/documents", fields{"name": "boiler", "text": "The boiler is emptied in May."}, 201).id()
	in := fields{"content": "when?", "documentId": doc, "outputs": map[string]string{"month": "string"}}
	m, first := k.runs("/api/v1/conversations/"+k.id+"/messages", in)
	in["content"] = "which month?"
	edit, second := k.runs("/api/v1/conversations/"+k.id+"/messages", in)
	_, third := k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	for _, run := range []*agent.Run{second, third} {
		if d := cmp.Diff([]any{first.State.DocumentID, first.State.Outputs}, []any{run.State.DocumentID, run.State.Outputs}); d != "" || run.State.DocumentID != doc {
			t.Error(d, run.State.DocumentID)
		}
	}
	k.says("DELETE", "/api/v1/messages/"+edit, nil, 200)
	k.says("GET", "/api/v1/documents/"+doc, nil, 200)
	if i := slices.IndexFunc(k.branch(m), func(m agent.Message) bool { return m.DocumentID == doc }); i != 0 {
		t.Errorf("the message has lost its document: %d", i)
	}
}
