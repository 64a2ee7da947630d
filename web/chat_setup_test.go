package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// TestChatSetup: an owner gives a chat instructions, limits, a way to think where its model
// can, and outputs. What is refused comes back as it was typed, with the reason at its field.
func TestChatSetup(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	b, c := s.as(bob), s.client(bob)
	id := c.conversation()
	page := "/c/" + id + "/setup"
	b.get("/c/"+id).check(t, want{status: http.StatusOK, has: []string{`href="` + page + `"`}, hasNot: []string{`name="thinking"`}})
	b.get(page).check(t, want{
		status: http.StatusOK, has: []string{`name="system"`, `name="runTokenLimit"`, `name="runCostLimitMicros"`, `name="output_name"`},
		hasNot: []string{`name="thinking"`},
	})
	local := "local/<small>"
	_, err := s.db.UpdateConversation(t.Context(), bob.Viewer(), id, agent.ConversationPatch{Model: &local})
	s.ok(err)
	b.get("/c/"+id).check(t, want{status: http.StatusOK, has: []string{`name="thinking"`}})
	filled := url.Values{
		"system": {"Be <brief>."}, "runTokenLimit": {"50k"}, "runCostLimitMicros": {"0.25"}, "thinking": {"on"}, "thinkingTokens": {"2000"},
		"output_name": {"price", "", "ok"}, "output_type": {"number", "string", "boolean"}, "output_for": {"In <dollars>", "", ""},
	}
	b.post(page, filled).check(t, want{status: http.StatusSeeOther, location: "/c/" + id})
	var got agent.Conversation
	s.ok(json.Unmarshal([]byte(c.call(http.MethodGet, "/api/v1/conversations/"+id, "").body), &got))
	wanted := agent.Conversation{
		System: "Be <brief>.", RunTokenLimit: 50_000, RunCostLimit: 250_000, Thinking: agent.ThinkingOn, ThinkingTokens: 2000,
		Outputs: map[string]string{"price": "number", "ok": "boolean"}, OutputPurposes: map[string]string{"price": "In <dollars>"},
	}
	if diff := cmp.Diff(wanted, agent.Conversation{
		System: got.System, RunTokenLimit: got.RunTokenLimit, RunCostLimit: got.RunCostLimit, Thinking: got.Thinking, ThinkingTokens: got.ThinkingTokens,
		Outputs: got.Outputs, OutputPurposes: got.OutputPurposes,
	}); diff != "" {
		t.Error(diff)
	}
	b.get(page).check(t, want{status: http.StatusOK, has: []string{"Be &lt;brief&gt;.</textarea>", `value="50000"`, `value="0.25"`, `value="on" selected`, `value="price"`, "In &lt;dollars&gt;"}})
	for _, row := range []struct {
		field string
		form  url.Values
		has   string
	}{
		{"tokens that are no number", form("runTokenLimit", "lots"), `id="runTokenLimit-error"`},
		{"money that is no amount", form("runCostLimitMicros", "lots"), `id="runCostLimitMicros-error"`},
		{"an unknown way to think", form("thinking", "hard"), `id="thinking-error"`},
		{"a budget without thinking", form("thinking", "off", "thinkingTokens", "5"), `id="thinkingTokens-error"`},
		{"an unknown type", form("output_name", "x", "output_type", "date"), "is not a type"},
		{"a name twice", url.Values{"output_name": {"x", "x"}, "output_type": {"string", "number"}}, "is there twice"},
	} {
		row.form.Set("system", "typed <before>")
		b.post(page, row.form).check(t, want{status: http.StatusUnprocessableEntity, has: []string{row.has, "typed &lt;before&gt;"}})
	}
	b.get(page).check(t, want{status: http.StatusOK, has: []string{`value="files" checked`, `value="shell" checked`}, hasNot: []string{`value="core"`}})
	location := want{status: http.StatusSeeOther, location: "/c/" + id}
	chosen := func(form url.Values, want string) {
		t.Helper()
		form.Set("toolSetsOffered", "true")
		b.post(page, form).check(t, location)
		if body := c.call(http.MethodGet, "/api/v1/conversations/"+id, "").body; strings.Contains(body, "toolSets") != (want != "") || !strings.Contains(body, want) {
			t.Errorf("chosen %v, stored %s", form, body)
		}
	}
	chosen(url.Values{"toolSets": {"files", "nothing"}}, `"toolSets":["core","files"]`)
	b.get(page).check(t, want{status: http.StatusOK, has: []string{`value="files" checked`}, hasNot: []string{`value="shell" checked`}})
	chosen(url.Values{}, `"toolSets":["core"]`)
	chosen(url.Values{"toolSets": {"files", "shell", "web"}}, "")
	c.call(http.MethodPatch, "/api/v1/conversations/"+id, `{"toolSets":["shell"]}`).check(t, want{status: http.StatusOK, has: []string{`"toolSets":["shell"]`}})
	c.call(http.MethodPatch, "/api/v1/conversations/"+id, `{"toolSets":["mcp:none"]}`).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"toolSets"`, "core, files, shell, web"}})
	c.call(http.MethodPatch, "/api/v1/conversations/"+id, `{"toolSets":[]}`).check(t, want{status: http.StatusOK, hasNot: []string{"toolSets"}})
	b.post("/c/"+id+"/settings", form("title", "mine", "thinking", "off")).check(t, want{status: http.StatusSeeOther, location: "/c/" + id})
	c.call(http.MethodGet, "/api/v1/conversations/"+id, "").check(t, want{status: http.StatusOK, has: []string{`"thinking":"off"`}, hasNot: []string{"thinkingTokens"}})

	s.as(ana).get(page).check(t, want{status: http.StatusSeeOther, location: "/c/" + id})
	s.as(ana).post(page, filled).check(t, want{status: http.StatusForbidden})
}

// TestChatRules: an admin bounds what people set for their chats, on the page and over the
// API; what was set before counts no further than that.
func TestChatRules(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	admin, b, c := s.as(ana), s.as(bob), s.client(bob)
	id := c.conversation()
	path := "/api/v1/conversations/" + id
	c.call(http.MethodPatch, path, `{"system":"Be brief.","runTokenLimit":90000,"runCostLimitMicros":900000}`).check(t, want{status: http.StatusOK})
	limits := func() string {
		t.Helper()
		posted := c.call(http.MethodPost, path+"/messages", `{"content":"hi","outputs":{"n":"integer"},"outputPurposes":{"n":"how many"}}`)
		var ids struct{ RunID string }
		s.ok(json.Unmarshal([]byte(posted.body), &ids))
		got := c.call(http.MethodGet, "/api/v1/runs/"+ids.RunID, "")
		c.call(http.MethodPost, "/api/v1/runs/"+ids.RunID+"/calls/none/cancel", "").check(t, want{status: http.StatusConflict, has: []string{"not running any more"}})
		c.call(http.MethodPost, "/api/v1/runs/"+ids.RunID+"/abort", "")
		run, err := s.db.Claim(t.Context(), "test", 0)
		s.ok(err)
		run.Status = agent.StatusAborted
		s.append(run, agent.Change{Run: run})
		return got.body
	}
	if got := limits(); !strings.Contains(got, `"tokens":90000`) || !strings.Contains(got, `"costMicros":900000`) || !strings.Contains(got, `"outputPurposes":{"n":"how many"}`) {
		t.Error(got)
	}
	admin.get("/admin/budgets").check(t, want{status: http.StatusOK, has: []string{"What people may set for their chats", `value="true" checked`}})
	admin.post("/admin/chats", form("maxRunTokens", "many", "instructions", "true")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="maxRunTokens-error"`, `value="many"`}})
	admin.post("/admin/chats", form("maxRunTokens", "60k", "maxRunCostMicros", "0.50")).check(t, want{status: http.StatusSeeOther, location: "/admin/budgets"})
	c.call(http.MethodGet, "/api/v1/chat-rules", "").check(t, want{status: http.StatusOK, has: []string{`{"instructions":false,"titles":false,"maxRunTokens":60000,"maxRunCostMicros":500000}`}})
	if got := limits(); !strings.Contains(got, `"tokens":60000`) || !strings.Contains(got, `"costMicros":500000`) {
		t.Error(got)
	}
	for _, row := range []struct{ body, field string }{
		{`{"system":"Be long."}`, "system"}, {`{"runTokenLimit":60001}`, "runTokenLimit"}, {`{"runCostLimitMicros":500001}`, "runCostLimitMicros"},
	} {
		c.call(http.MethodPatch, path, row.body).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"` + row.field + `"`, "an admin"}})
	}
	b.get("/c/"+id+"/setup").check(t, want{status: http.StatusOK, has: []string{"An admin has switched off", "At most 60k", "At most $0.50"}, hasNot: []string{`name="system"`}})
	b.post("/c/"+id+"/setup", form("runTokenLimit", "70k")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"at most 60000"}})
	program := s.client(ana)
	program.call(http.MethodPut, "/api/v1/chat-rules", `{"instructions":true,"maxRunTokens":-1,"maxRunCostMicros":0}`).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"maxRunTokens"`}})
	program.call(http.MethodPut, "/api/v1/chat-rules", `{"instructions":true,"titles":true,"maxRunTokens":0,"maxRunCostMicros":0}`).check(t, want{status: http.StatusOK, has: []string{`"instructions":true`, `"titles":true`}})
	c.call(http.MethodPut, "/api/v1/chat-rules", `{}`).check(t, want{status: http.StatusForbidden})
	c.call(http.MethodPatch, path, `{"system":"Be long.","runTokenLimit":60001,"thinking":"on","thinkingTokens":7,"outputPurposes":{"a":"b"}}`).check(t, want{status: http.StatusOK})
}

// TestRenamedChatTells: whoever reads a chat's log hears what it is called now, once for each
// change; a form that does not name it leaves it.
func TestRenamedChatTells(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleUser)
	b, c := s.as(ana), s.client(ana)
	id := c.conversation()
	path := "/api/v1/conversations/" + id
	for range 2 {
		c.call(http.MethodPatch, path, `{"title":"Pumps <1>"}`).check(t, want{status: http.StatusOK})
	}
	b.post("/c/"+id+"/settings", form("output", "whole")).check(t, want{status: http.StatusSeeOther, location: "/c/" + id})
	b.post("/c/"+id+"/settings", form("title", " ")).check(t, want{status: http.StatusUnprocessableEntity})
	log := c.call(http.MethodGet, path+"/events?follow=false", "")
	log.check(t, want{status: http.StatusOK, has: []string{`"type":"title","title":"Pumps \u003c1\u003e"`}})
	if n := strings.Count(log.body, `"type":"title"`); n != 1 {
		t.Errorf("told %d times: %s", n, log.body)
	}
	b.get("/c/"+id).check(t, want{status: http.StatusOK, has: []string{`<h1 id="chat-name">Pumps &lt;1&gt;</h1>`, `value="Pumps &lt;1&gt;"`}})
}
