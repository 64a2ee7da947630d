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

// TestWorkflowsPage: an admin makes a workflow step by step, changes it, brings an older version
// back, and deletes it.
func TestWorkflowsPage(t *testing.T) {
	t.Parallel()
	s, b := agentSite(t)
	s.ok(s.db.SeedAgents(t.Context(), nil, agents.Shipped()))
	b.get("/admin/workflows").check(t, want{status: http.StatusOK, has: []string{"No workflows", `href="/admin/workflows?new=1"`}})
	b.get("/admin/workflows?new=1").check(t, want{status: http.StatusOK, has: []string{`name="name"`, `id="step-1"`, `name="input.name"`, `<option value="researcher">`, `value="person:approve"`}})
	filled := url.Values{
		"name": {"article"}, "purpose": {"Writes <it>."}, "kind": {"parallel"}, "join": {"some"}, "count": {"1"},
		"input.name": {"", "topic", ""}, "input.label": {"", "Topic", ""}, "input.type": {"string", "string", "string"}, "input.required": {"", "true", ""},
		"step.name": {"facts", "", ""}, "step.who": {"researcher", "person:choose", "writer"}, "step.task": {"Find.\r\nCite.", "Which?", "Write."},
		"step.needs": {"-", "facts", "facts, step-2"}, "step.outputs": {"found: boolean, note", "", ""}, "step.options": {"", "a\r\n\r\nb", ""}, "step.retries": {"1", "", ""}, "step.fallback": {"analyst", "", ""},
	}
	listed := want{status: http.StatusSeeOther, location: "/admin/workflows#workflow-article"}
	b.post("/admin/workflows", filled).check(t, listed)
	made, err := s.db.Workflow(t.Context(), "article", 0)
	s.ok(err)
	wanted := agent.Workflow{
		Name: "article", Purpose: "Writes <it>.", Kind: agent.FlowParallel, Join: agent.JoinSome, Count: 1,
		Inputs: []agent.WorkflowInput{{Name: "topic", Label: "Topic", Type: "string", Required: true}},
		Steps: []agent.WorkflowStep{
			{Name: "facts", Agent: "researcher", Task: "Find.\nCite.", Needs: []string{}, Outputs: map[string]string{"found": "boolean", "note": "string"}, Retries: 1, Fallback: "analyst"},
			{Person: agent.PersonChooses, Task: "Which?", Options: []string{"a", "b"}, Needs: []string{"facts"}},
			{Agent: "writer", Task: "Write.", Needs: []string{"facts", "step-2"}},
		},
		Version: 1, Source: agent.AgentByAdmin, UpdatedBy: "ada@example.org", UpdatedAt: agent.Stamp(s.clock),
	}
	if diff := cmp.Diff(wanted, *made); diff != "" {
		t.Error(diff)
	}
	b.get("/admin/workflows").check(t, want{status: http.StatusOK, has: []string{"article is saved as version 1.", "Writes &lt;it&gt;.", "Parallel: all at the same time", "1 field to fill in", "A person · chooses", "after facts, step-2"}})
	b.get("/admin/workflows/article").check(t, want{status: http.StatusOK, has: []string{
		`name="version" value="1"`, "Find.\nCite.</textarea>", `value="found: boolean, note: string"`, `value="facts, step-2"`, `value="-"`, "a\nb</textarea>", `value="person:choose" selected`, `<option value="analyst" selected>`,
	}, hasNot: []string{`name="name"`}})
	for do, order := range map[string]string{"up.1": "Which? Find. Write.", "down.1": "Find. Write. Which?", "remove.0": "Which? Write.", "add": "Find. Which? Write. ", "up.0": "Find. Which? Write.", "remove.9": "Find. Which? Write.", "x": "Find. Which? Write."} {
		filled.Set("do", do)
		got := b.post("/admin/workflows/article", filled)
		got.check(t, want{status: http.StatusOK, has: []string{`name="version" value="1"`, "Writes &lt;it&gt;.</textarea>"}})
		if at := orderOf(got.body, "step.task"); at != order {
			t.Errorf("after %s the steps are %q, want %q", do, at, order)
		}
	}
	filled.Del("do")
	filled.Set("version", "1")
	filled.Set("purpose", "Writes.")
	b.post("/admin/workflows/article", filled).check(t, listed)
	b.post("/admin/workflows/article", filled).check(t, want{status: http.StatusConflict, has: []string{"its newest version is 2", `name="version" value="2"`, "Writes.</textarea>"}})
	b.get("/admin/workflows/article?version=1").check(t, want{status: http.StatusOK, has: []string{"The form is filled with version 1.", "Writes &lt;it&gt;.</textarea>"}})
	for field, typed := range map[string]string{"kind": "chain", "purpose": " ", "step.task": " ", "step.who": "nobody", "step.needs": "other", "step.outputs": "x: y", "step.retries": "many", "count": "all", "input.name": "A b", "step.fallback": "nobody"} {
		wrong := url.Values{}
		for name, values := range filled {
			wrong[name] = append([]string{}, values...)
		}
		wrong[field][0] = typed
		wrong.Set("version", "2")
		got := b.post("/admin/workflows/article", wrong)
		got.check(t, want{status: http.StatusUnprocessableEntity, has: []string{"Which?</textarea>"}})
		if n := strings.Count(got.body, `class="field-error"`); n != 1 {
			t.Errorf("%s: %d fields have an error", field, n)
		}
	}
	b.post("/admin/workflows/article/delete", nil).check(t, want{status: http.StatusSeeOther, location: "/admin/workflows"})
	b.get("/admin/workflows").check(t, want{status: http.StatusOK, has: []string{"article is deleted.", "Deleted workflows"}})
	b.post("/admin/workflows/article/delete", nil).check(t, want{status: http.StatusNotFound, has: []string{"There is no workflow named article."}})
	filled.Set("version", "2")
	b.post("/admin/workflows/article", filled).check(t, want{status: http.StatusConflict, has: []string{"was deleted meanwhile", `name="version" value=""`}})
	filled.Del("version")
	b.post("/admin/workflows/article", filled).check(t, listed)
	b.get("/admin/workflows/nothing").check(t, want{status: http.StatusNotFound})
}

// orderOf are the first lines of the areas of a name.
func orderOf(body, name string) string {
	var said []string
	for _, area := range strings.Split(body, `name="`+name+`"`)[1:] {
		text := area[strings.Index(area, ">")+1:]
		said = append(said, strings.Split(strings.Split(text, "</textarea>")[0], "\r\n")[0])
	}
	return strings.Join(said, " ")
}

// TestConfiguredWorkflowPage: what the configuration has can be looked at; shipped workflows are
// described in the reader's language.
func TestConfiguredWorkflowPage(t *testing.T) {
	t.Parallel()
	s, b := agentSite(t)
	s.ok(s.db.SeedAgents(t.Context(), nil, agents.Shipped()))
	tour := agent.Workflow{Name: "tour", Purpose: "Looks.", Kind: agent.FlowLoop, Steps: []agent.WorkflowStep{{Agent: "coder", Task: "Do."}, {Agent: "reviewer", Task: "Look."}}}
	s.ok(s.db.SeedWorkflows(t.Context(), []agent.Workflow{tour}, agents.Workflows()))
	b.get("/admin/workflows").check(t, want{status: http.StatusOK, has: []string{"Built in", "Configuration", "content-pipeline"}, hasNot: []string{"/admin/workflows/tour/delete"}})
	b.get("/admin/workflows/tour").check(t, want{status: http.StatusOK, has: []string{"[workflows.tour]", "disabled"}, hasNot: []string{`name="do"`}})
	b.post("/admin/workflows/tour/delete", nil).check(t, want{status: http.StatusConflict, has: []string{"is in the configuration file"}})
	b.post("/settings/language", form("language", "zh")).check(t, want{status: http.StatusSeeOther, location: "/settings/appearance"})
	b.get("/admin/workflows").check(t, want{status: http.StatusOK, has: []string{"分步撰写文本", "内置", "循环", "人 · 批准"}, hasNot: []string{"Makes a text"}})
	b.get("/").check(t, want{status: http.StatusOK, has: []string{"content-pipeline · 分步撰写文本", "文本的主题"}})
}

// TestPickedWorkflow: a workflow is chosen where an agent is, and what it asks for is filled in there.
func TestPickedWorkflow(t *testing.T) {
	t.Parallel()
	s, _ := agentSite(t)
	ben := s.as(s.user("ben@example.org", agent.RoleUser))
	s.ok(s.db.SeedAgents(t.Context(), nil, agents.Shipped()))
	s.ok(s.db.SeedWorkflows(t.Context(), nil, agents.Workflows()))
	const shown = `data-inputs="workflow:content-pipeline" aria-label="content-pipeline · Makes a text step by step: facts with sources, a draft, an edited version, and your…">`
	ben.get("/").check(t, want{status: http.StatusOK, has: []string{`<option value="workflow:code-task">code-task`, `name="input.topic"`, `name="input.words"`}, hasNot: []string{shown}})
	ben.get("/?agent=workflow:content-pipeline").check(t, want{status: http.StatusOK, has: []string{`<option value="workflow:content-pipeline" selected>`}})
	ben.post("/", form("content", "Hi", "agent", "workflow:nothing", "mode", "default")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"there is no workflow named nothing"}})
	ben.post("/", form("content", "Hi <you>", "agent", "workflow:content-pipeline", "choose", "agent")).check(t, want{status: http.StatusOK, has: []string{"Hi &lt;you&gt;", `<option value="workflow:content-pipeline" selected>`}})
	ben.post("/", form("content", "Hi", "agent", "workflow:content-pipeline", "input.words", "9", "mode", "default")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"is missing; content-pipeline asks for it", `value="9"`}})
	ben.post("/", form("content", "Hi", "agent", "workflow:content-pipeline", "input.topic", "Tea", "input.words", "many", "mode", "default")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"a value of the type integer"}})
	at := ben.post("/", form("content", "Hi", "agent", "workflow:content-pipeline", "input.topic", "Tea", "input.words", "9", "mode", "default")).header.Get("Location")
	conv, err := s.db.Conversation(t.Context(), agent.Viewer{Role: agent.RoleAdmin}, strings.TrimPrefix(at, "/c/"))
	s.ok(err)
	if conv.Workflow != "content-pipeline" || string(agent.MustJSON(conv.Inputs)) != `{"topic":"Tea","words":9}` {
		t.Errorf("%q with %s", conv.Workflow, conv.Inputs)
	}
	ben.get(at).check(t, want{status: http.StatusOK, has: []string{`<option value="workflow:content-pipeline" selected>`, `<span class="badge">content-pipeline</span>`, `value="Tea"`, `value="9"`}})
	ben.post(at+"/settings", form("title", "Hi", "agent", "workflow:data-report", "input.table", "true")).check(t, want{status: http.StatusSeeOther, location: at})
	ben.get(at).check(t, want{status: http.StatusOK, has: []string{`<option value="workflow:data-report" selected>`, `name="input.table" value="true" checked`}})
	s.ok(s.db.DeleteWorkflow(t.Context(), agent.Viewer{Email: "x"}, "data-report"))
	ben.get(at).check(t, want{status: http.StatusOK, has: []string{`<span class="badge">No workflow (data-report was deleted)</span>`}})
}
