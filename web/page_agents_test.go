package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agents"
	"fusebox/web"
)

// agentSite is a site with a tool, of which the browser is an admin's.
func agentSite(t *testing.T) (*site, *browser) {
	t.Helper()
	s := newSite(t, func(o *web.Options) { o.Tools = listedTool{} })
	return s, s.as(s.user("ada@example.org", agent.RoleAdmin))
}

// TestAgentsPage: an admin makes an agent, changes it, brings an older version back, deletes
// it, and makes it again.
func TestAgentsPage(t *testing.T) {
	t.Parallel()
	s, b := agentSite(t)
	b.get("/admin/agents").check(t, want{status: http.StatusOK, has: []string{"No agents", `href="/admin/agents?new=1"`}, hasNot: []string{"Deleted agents"}})
	b.get("/admin/agents?new=1").check(t, want{status: http.StatusOK, has: []string{`name="name"`, `name="allTools" value="true" checked`, `name="tools" value="run_shell"`, `value="local/&lt;small&gt;"`}})
	filled := url.Values{
		"name": {"scout"}, "purpose": {"Looks <around>."}, "instructions": {"Look.\r\nTell."}, "tools": {"run_shell", "far__away"}, "model": {"local/<small>"}, "mode": {"auto_edit"},
		"limits.steps": {"6"}, "limits.durationMs": {"10m"}, "limits.tokens": {"50k"}, "limits.costMicros": {"0.25"},
	}
	list := func(version string) want {
		return want{status: http.StatusSeeOther, location: "/admin/agents#agent-" + version}
	}
	b.post("/admin/agents", filled).check(t, list("scout"))
	made, err := s.db.Agent(t.Context(), "scout", 0)
	s.ok(err)
	wanted := agent.Agent{
		Name: "scout", Purpose: "Looks <around>.", Instructions: "Look.\nTell.", Model: "local/<small>", Tools: []string{"run_shell", "far__away"}, Mode: agent.ModeAutoEdit,
		Limits:  agent.AgentLimits{Steps: 6, DurationMS: 600_000, Tokens: 50_000, CostMicros: 250_000},
		Version: 1, Source: agent.AgentByAdmin, UpdatedBy: "ada@example.org", UpdatedAt: agent.Stamp(s.clock),
	}
	if diff := cmp.Diff(wanted, *made); diff != "" {
		t.Error(diff)
	}
	b.get("/admin/agents").check(t, want{status: http.StatusOK, has: []string{
		"scout is saved as version 1.", "Looks &lt;around&gt;.", "2 tools", "far__away", "6 model calls · 10m · 50k tokens · $0.25", "by ada@example.org", `action="/admin/agents/scout/delete"`,
	}})
	b.get("/admin/agents/scout").check(t, want{status: http.StatusOK, has: []string{
		`name="version" value="1"`, "Look.\nTell.</textarea>", `value="run_shell" checked`, "Not available now", `value="far__away" checked`, `value="6"`, `value="10m"`, `value="50000"`, `value="0.25"`, `value="auto_edit" selected`,
	}, hasNot: []string{`name="name"`, `name="allTools" value="true" checked`}})

	filled.Set("version", "1")
	filled.Set("allTools", "true")
	filled.Set("purpose", "Looks.")
	b.post("/admin/agents/scout", filled).check(t, list("scout"))
	b.post("/admin/agents/scout", filled).check(t, want{status: http.StatusConflict, has: []string{"its newest version is 2", `name="version" value="2"`, "Looks.</textarea>"}})
	b.get("/admin/agents/scout?version=1").check(t, want{status: http.StatusOK, has: []string{"The form is filled with version 1.", `name="version" value="2"`, "Looks &lt;around&gt;.</textarea>"}})
	b.get("/admin/agents/scout?version=9").check(t, want{status: http.StatusNotFound})
	b.post("/admin/agents/scout/delete", nil).check(t, want{status: http.StatusSeeOther, location: "/admin/agents"})
	b.get("/admin/agents").check(t, want{status: http.StatusOK, has: []string{"scout is deleted.", "Deleted agents", `href="/admin/agents/scout"`}})
	b.post("/admin/agents/scout/delete", nil).check(t, want{status: http.StatusNotFound, has: []string{"There is no agent named scout."}})
	filled.Set("version", "2")
	b.post("/admin/agents/scout", filled).check(t, want{status: http.StatusConflict, has: []string{"was deleted meanwhile", `name="version" value=""`, "Looks.</textarea>"}})
	b.get("/admin/agents/scout").check(t, want{status: http.StatusOK, has: []string{"This agent was deleted.", `action="/admin/agents/scout"`, `name="version" value=""`}})
	filled.Del("version")
	b.post("/admin/agents/scout", filled).check(t, list("scout"))
	b.get("/admin/agents/scout").check(t, want{status: http.StatusOK, has: []string{"Version 3 by ada@example.org", "Version 1 by ada@example.org"}})
	b.get("/admin/agents/nobody").check(t, want{status: http.StatusNotFound})
}

// TestAgentFormRefused: what is refused comes back as it was typed, with the reason at its field.
func TestAgentFormRefused(t *testing.T) {
	t.Parallel()
	_, b := agentSite(t)
	for field, typed := range map[string]string{
		"name": "Scout", "purpose": " ", "instructions": " ", "model": "none", "mode": "brave", "tools": "run shell",
		"limits.steps": "many", "limits.durationMs": "soon", "limits.tokens": "lots", "limits.costMicros": "much",
	} {
		filled := form("name", "scout", "purpose", "typed <before>", "instructions", "i <before>", "mode", "default")
		filled.Set(field, typed)
		got := b.post("/admin/agents", filled)
		got.check(t, want{status: http.StatusUnprocessableEntity, has: []string{`-error">`, "before&gt;"}})
		if n := strings.Count(got.body, `class="field-error"`); n != 1 {
			t.Errorf("%s: %d fields have an error", field, n)
		}
	}
}

// TestConfiguredAgentPage: what the configuration has can be looked at; shipped agents are
// described in the reader's language.
func TestConfiguredAgentPage(t *testing.T) {
	t.Parallel()
	s, b := agentSite(t)
	s.ok(s.db.SeedAgents(t.Context(), []agent.Agent{{Name: "scout", Purpose: "Looks.", Instructions: "Look."}}, agents.Shipped()))
	b.get("/admin/agents").check(t, want{status: http.StatusOK, has: []string{"Built in", "Configuration", "It only reads."}, hasNot: []string{"/admin/agents/scout/delete"}})
	b.get("/admin/agents/scout").check(t, want{status: http.StatusOK, has: []string{"[agents.scout]", "disabled"}, hasNot: []string{"Save new version"}})
	b.post("/admin/agents/scout", form("version", "1", "purpose", "p", "instructions", "i")).check(t, want{status: http.StatusConflict, has: []string{"is in the configuration file"}})
	b.post("/admin/agents/scout/delete", nil).check(t, want{status: http.StatusConflict, has: []string{"is in the configuration file"}})
	b.post("/settings/language", form("language", "zh")).check(t, want{status: http.StatusSeeOther, location: "/settings/appearance"})
	b.get("/admin/agents").check(t, want{status: http.StatusOK, has: []string{"它只读取。", "内置", "智能体"}, hasNot: []string{"It only reads."}})
	b.get("/").check(t, want{status: http.StatusOK, has: []string{"reviewer · 对照要求检查文本"}})
}

// TestPickedAgent: who answers is chosen where messages are written, by its purpose.
func TestPickedAgent(t *testing.T) {
	t.Parallel()
	s, admin := agentSite(t)
	ben := s.as(s.user("ben@example.org", agent.RoleUser))
	ben.get("/").check(t, want{status: http.StatusOK, hasNot: []string{`name="agent"`}})
	admin.post("/admin/agents", form("name", "scout", "purpose", "Looks <around>.", "instructions", "Look.")).check(t, want{status: http.StatusSeeOther, location: "/admin/agents#agent-scout"})
	ben.get("/").check(t, want{status: http.StatusOK, has: []string{`<option value="" selected>No agent`, `<option value="scout">scout · Looks &lt;around&gt;.`}})
	ben.post("/", form("content", "Hi", "agent", "nobody", "mode", "default")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"there is no agent named nobody"}})
	sent := ben.post("/", form("content", "Hi", "agent", "scout", "mode", "default"))
	at := sent.header.Get("Location")
	ben.get(at).check(t, want{status: http.StatusOK, has: []string{`<option value="scout" selected>`, `<span class="badge">scout</span>`}})
	ben.post(at+"/settings", form("title", "Hi", "agent", "")).check(t, want{status: http.StatusSeeOther, location: at})
	ben.get(at).check(t, want{status: http.StatusOK, has: []string{`<option value="" selected>No agent`}})
	ben.post(at+"/settings", form("title", "Hi", "agent", "scout")).check(t, want{status: http.StatusSeeOther, location: at})
	admin.post("/admin/agents/scout/delete", nil).check(t, want{status: http.StatusSeeOther, location: "/admin/agents"})
	ben.get(at).check(t, want{status: http.StatusOK, has: []string{`<span class="badge">No agent (scout was deleted)</span>`, `<option value="" selected>No agent (scout was deleted)`}})
}
