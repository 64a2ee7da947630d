package web_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/sandbox"
	"fusebox/agent/service"
	"fusebox/agent/tools"
	"fusebox/agent/vectors"
	"fusebox/store"
	"fusebox/web"
)

// office is a site whose chats are answered, by scripted models with the tools as they are.
type office struct {
	*site
	engine *loop.Loop
	// ben shares the collection house with his group, in which ana is.
	root, ben, ana    client
	rootUser, anaUser agent.User
	house             string
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{}
	o.site = newSite(t, func(w *web.Options) {
		db, log := w.Store.(*store.Store), slog.New(slog.DiscardHandler)
		box, err := sandbox.New(sandbox.Options{Mode: "off", Data: t.TempDir(), Logger: log})
		if err != nil {
			t.Fatal(err)
		}
		index, err := vectors.New(t.Context(), vectors.Options{Store: db, Clock: w.Clock, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		real, err := tools.New(tools.Config{
			DataDir: t.TempDir(), HTTPClient: http.DefaultClient, Timeout: agenttest.Hang, OutputLimit: 1500, Sandbox: box, Logger: log,
			Notes: &service.Documents{Store: db, Shelf: w.Shelf, Queue: w.Queue, Clock: w.Clock, NewID: w.NewID, Log: log},
			Documents: struct {
				*store.Store
				*vectors.Index
			}{db, index},
		})
		if err != nil {
			t.Fatal(err)
		}
		o.engine = &loop.Loop{
			Journal: db, Tools: real, Policy: policy.New(), Guards: guards.All, Streams: guards.Streams, Judge: guards.ModelJudge{}, Reminder: guards.Reminder,
			Clock: w.Clock, NewID: w.NewID, Log: log,
			Settings: loop.Settings{
				Guards: agent.DefaultGuardSettings(), Parallel: 8, MaxOutput: 8192, ApprovalTimeout: 24 * time.Hour,
				Price: func(string) (agent.Price, bool) { return agent.Price{Input: 1, Output: 1}, true },
			},
		}
		runner := &loop.Runner{Loop: o.engine, Clock: w.Clock, Log: log, Owner: w.NewID(), Lease: time.Minute, Parallel: 4}
		w.Approvals.Runner, w.Approvals.Tools, w.Approvals.Policy = runner, real, o.engine.Policy
		w.Messages.Runner, w.Messages.Tools, w.Runs.Runner, w.Runs.Tools = runner, real, runner, real
		w.Tools, w.Files, w.RawLog = real, real, true
	})
	o.reading()
	o.rootUser = o.user("root@example.org", agent.RoleAdmin)
	o.root = o.client(o.rootUser)
	o.anaUser = o.user("ana@example.org", agent.RoleUser)
	ben := o.user("ben@example.org", agent.RoleUser)
	for _, u := range []agent.User{o.anaUser, ben} {
		o.ok(o.db.PatchUser(t.Context(), u.ID, agent.UserPatch{Group: new("support")}))
	}
	o.ana, o.ben = o.client(o.anaUser), o.client(ben)
	o.house = o.ben.says(http.MethodPost, "/api/v1/collections", fields{"name": "House", "visibility": "group"}, 201).id()
	return o
}

// adds adds a document, to a collection of somebody or to their own, and waits until it has been read.
func (o *office) adds(c client, name, text, collection string) string {
	o.t.Helper()
	in := fields{"name": name, "text": text}
	if collection != "" {
		in["collectionId"] = collection
	}
	id := c.says(http.MethodPost, "/api/v1/documents", in, 201).id()
	agenttest.Eventually(o.t, "the document", func() bool {
		return strings.Contains(c.call(http.MethodGet, "/api/v1/documents/"+id, "").body, `"ready"`)
	})
	return id
}

// plays lets a scripted model work until nothing is ready any more.
func (o *office) plays(model *agenttest.Provider) *agenttest.Provider {
	o.t.Helper()
	o.engine.Provider, o.engine.Counter = model, model
	for {
		run, err := o.db.Claim(o.t.Context(), "test", time.Minute)
		if agent.CodeOf(err) == agent.NotFound {
			return model
		}
		o.ok(err)
		o.ok(o.engine.Advance(o.t.Context(), run))
	}
}

// asks sends a message, and returns its run.
func (o *office) asks(c client, chat string, in fields) (runID string) {
	o.t.Helper()
	said := c.says(http.MethodPost, "/api/v1/conversations/"+chat+"/messages", in, 202)
	var v struct{ RunID string }
	o.ok(json.Unmarshal([]byte(said.body), &v))
	return v.RunID
}

// card is the one that waits.
func (o *office) card() agent.Approval {
	o.t.Helper()
	items, _, err := o.db.Approvals(o.t.Context(), agent.Viewer{UserID: o.anaUser.ID, Role: agent.RoleUser}, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	o.ok(err)
	if len(items) != 1 {
		o.t.Fatalf("%d cards wait, want 1", len(items))
	}
	return items[0]
}

// lastRequest is what a model was sent last, as text.
func lastRequest(model *agenttest.Provider) string {
	all := model.Requests()
	var b strings.Builder
	for _, m := range all[len(all)-1].Messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	return b.String()
}

func calls(all ...agent.CallRequest) agenttest.Turn { return agenttest.Turn{Calls: all} }

// TestRightsChangeInMidRun: from the moment a right is taken away, neither the name nor the text of a
// document is in any request to a model, nor on any page, in any answer of the API, event, or file;
// and it all comes back with the right.
func TestRightsChangeInMidRun(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	manual := o.adds(o.ben, "kestrel.md", "The Kestrel valve opens at 7 bar.", o.house)
	o.adds(o.ben, "kestrel-log.md", "Chronicle of the Kestrel: "+strings.Repeat("it opened at noon and was closed. ", 40), o.house)
	o.adds(o.ana, "gasket.md", "The gasket of the valve is blue.", "")
	o.root.says(http.MethodPost, "/api/v1/agents", fields{"name": "hand", "purpose": "Looks.", "instructions": "Look."}, 201)
	chat := o.ana.conversation()
	run := o.asks(o.ana, chat, fields{"content": "What of the valve?", "documentId": manual})
	search := func(id, query string) agent.CallRequest {
		return agenttest.Call(id, "knowledge_search", `{"query":"`+query+`"}`)
	}
	first := agenttest.Script(
		calls(search("s1", "valve"), search("s2", "chronicle"), search("s3", "valve"), agenttest.Call("l", "document_list", `{}`), agenttest.Call("r", "document_read", `{}`)),
		calls(agenttest.Call("d", agent.DelegateTool, `{"agent":"hand","task":"Look at the valve."}`)),
		calls(agenttest.Call("w", "document_save", `{"name":"Result","text":"All is well."}`)))
	first.Agents = map[string][]agenttest.Turn{"hand": {calls(search("s1", "valve")), {Text: "It opens [1], it is blue [2]."}}}
	o.plays(first)
	secret := []string{"estrel", "7 bar", "at noon"}
	told{t, lastRequest(first)}.has(append(secret, "[1] p", "The gasket")...)
	child := strings.SplitN(strings.SplitN(lastRequest(first), `{"runId":"`, 2)[1], `"`, 2)[0]

	api, page := "/api/v1/conversations/"+chat, "/c/"+chat
	o.ok(o.db.AddExchange(t.Context(), agent.Exchange{ID: o.newID(), RunID: run, At: o.clock.Now(), URL: "u", Request: "kestrel.md"}))
	b, root, rootPages := o.as(o.anaUser), o.root, o.as(o.rootUser)
	seen := map[string]func() answer{
		"the API":            func() answer { return o.ana.call(http.MethodGet, api+"/messages", "") },
		"events":             func() answer { return o.ana.call(http.MethodGet, api+"/events?follow=false", "") },
		"events of admins":   func() answer { return root.call(http.MethodGet, api+"/events?follow=false", "") },
		"a run":              func() answer { return o.ana.call(http.MethodGet, "/api/v1/runs/"+run, "") },
		"verdicts":           func() answer { return o.ana.call(http.MethodGet, "/api/v1/runs/"+run+"/verdicts", "") },
		"the chat":           func() answer { return b.get(page) },
		"the chat of agents": func() answer { return b.get(page + "/runs/" + child) },
		"a page of a run":    func() answer { return b.get("/runs/" + run) },
		"a page of a child":  func() answer { return b.get("/runs/" + child) },
		"a result":           func() answer { return b.get("/runs/" + run + "/text?of=result&call=s1") },
		"a kept result":      func() answer { return b.get("/runs/" + run + "/output?call=s2") },
		"a kept result, API": func() answer { return o.ana.call(http.MethodGet, "/api/v1/runs/"+run+"/output?call=s2", "") },
		"the raw exchange":   func() answer { return rootPages.get("/runs/" + run + "/raw") },
		"approvals":          func() answer { return o.ana.call(http.MethodGet, "/api/v1/approvals", "") },
		"the list of chats":  func() answer { return o.ana.call(http.MethodGet, "/api/v1/conversations", "") },
		"search":             func() answer { return o.ana.call(http.MethodGet, "/api/v1/search?q=valve", "") },
		"documents":          func() answer { return o.ana.call(http.MethodGet, "/api/v1/documents", "") },
	}
	for _, door := range []string{"the API", "events", "the chat", "the chat of agents", "a page of a run", "a page of a child", "a result", "a kept result", "the raw exchange"} {
		told{t, seen[door]().body}.has("estrel")
	}
	closed := func(when string) {
		t.Helper()
		for door, at := range seen {
			body := at().body
			for _, text := range secret {
				if i := strings.Index(body, text); i >= 0 {
					t.Errorf("%s: %s shows …%s…", when, door, body[max(i-200, 0):min(i+80, len(body))])
					break
				}
			}
		}
	}
	o.ok(o.db.PatchUser(t.Context(), o.anaUser.ID, agent.UserPatch{Group: new("sales")}))
	closed("taken away")
	card := o.card()
	o.ana.says(http.MethodPost, "/api/v1/approvals/"+card.ID+"/decision", fields{"decision": "approve", "generation": card.Generation}, 200)
	kept := `{"path":"outputs/` + chat + `/` + run + `/s2.txt"}`
	second := o.plays(agenttest.Script(
		calls(search("s4", "valve"), agenttest.Call("r2", "document_read", `{}`), agenttest.Call("f", "fetch_output", kept), agenttest.Call("f2", "read_file", kept),
			agenttest.Call("a", agent.ReadResultTool, `{"runId":"`+child+`"}`)),
		agenttest.Turn{Text: "It is blue [1] [2]."}))
	for _, req := range second.Requests() {
		sent, err := json.Marshal(req.Messages)
		o.ok(err)
		for _, text := range secret {
			told{t, string(sent)}.hasNot(text)
		}
	}
	told{t, lastRequest(second)}.has("The gasket", `"closed":1`, "is not open to the person any more")
	closed("gone on")
	told{t, seen["the API"]().body}.has(`"closed":true`, "The gasket", "It is blue [1] [2].")

	o.ok(o.db.PatchUser(t.Context(), o.anaUser.ID, agent.UserPatch{Group: new("support")}))
	o.asks(o.ana, chat, fields{"content": "And now?"})
	third := o.plays(agenttest.Script(agenttest.Turn{Text: "It opens."}))
	told{t, lastRequest(third)}.has(secret...)
	told{t, seen["the API"]().body}.has("estrel")
	told{t, seen["the chat"]().body}.has("estrel")
	told{t, seen["a kept result"]().body}.has("at noon")

	o.ben.says(http.MethodDelete, "/api/v1/documents/"+manual, nil, 204)
	secret = []string{"7 bar"}
	closed("deleted by its owner")
}

// TestClosedDocumentsOnCards: a card that shows what a run has done again and again shows what was
// read as far as it is open, wherever the card or its evidence is.
func TestClosedDocumentsOnCards(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.adds(o.ben, "kestrel.md", "The Kestrel valve opens at 7 bar.", o.house)
	chat := o.ana.conversation()
	run := o.asks(o.ana, chat, fields{"content": "What of the valve?"})
	var turns []agenttest.Turn
	for i := range 12 {
		turns = append(turns, calls(agenttest.Call(fmt.Sprint("s", i), "knowledge_search", `{"query":"valve"}`)))
	}
	o.plays(agenttest.Script(turns...))
	b := o.as(o.anaUser)
	card := o.card()
	doors := []string{"/api/v1/approvals/" + card.ID, "/api/v1/approvals", "/approvals/" + card.ID, "/approvals", "/c/" + chat, "/runs/" + run, "/api/v1/runs/" + run, "/api/v1/runs/" + run + "/verdicts", "/api/v1/conversations/" + chat + "/events?follow=false"}
	told{t, o.ana.call(http.MethodGet, doors[0], "").body}.has("estrel")
	o.ok(o.db.PatchUser(t.Context(), o.anaUser.ID, agent.UserPatch{Group: new("sales")}))
	for _, door := range doors {
		for _, text := range []string{"estrel", "7 bar"} {
			b.get(door).check(t, want{status: 200, hasNot: []string{text}})
		}
	}
	o.ok(o.db.PatchUser(t.Context(), o.anaUser.ID, agent.UserPatch{Group: new("support")}))
	told{t, o.ana.call(http.MethodGet, doors[0], "").body}.has("estrel")
}
