package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// cast is the real program with a model that plays agents, and these agents.
type cast struct {
	*instance
	model *castModel
	root  api // of the admin
}

// actor is an agent as a test defines it. Nil tools are all.
type actor struct {
	Name         string         `json:"name"`
	Purpose      string         `json:"purpose"`
	Instructions string         `json:"instructions"`
	Tools        []string       `json:"tools,omitzero"`
	Limits       map[string]int `json:"limits,omitempty"`
}

func startTrees(t testing.TB, plays func(cue) reply, actors []actor, env ...string) *cast {
	t.Helper()
	m, url := startCast(t, plays)
	env = append(env, "OPENAI_BASE_URL="+url, "FUSEBOX_MODEL=scripted", "FUSEBOX_RETRY_BASE=20ms")
	data := t.TempDir()
	fullInstance.put(t, data)
	c := &cast{instance: &instance{program: startProgram(t, data, env...), env: env, conversationOf: map[string]string{}}, model: m}
	c.as(t)
	c.root = c.admin()
	for _, a := range actors {
		a.Purpose, a.Instructions = "Is there for a test.", "My name is "+a.Name+"."
		raw, err := json.Marshal(a)
		must(t, err)
		c.root.must("POST", "/api/v1/agents", string(raw))
	}
	return c
}

// of is the cast for a subtest.
func (c *cast) of(t *testing.T) *cast {
	t.Helper()
	h := *c.instance
	h.program = &program{t: t, cmd: c.cmd, log: c.log, url: c.url, data: c.data}
	next := &cast{instance: h.as(t), model: c.model, root: c.root}
	next.root.t, next.root.url = t, c.url
	return next
}

// begins has a person send a message in a new conversation, which settings may describe.
func (c *cast) begins(who api, task, settings string) (conversation, run string) {
	c.t.Helper()
	if settings == "" {
		settings = "{}"
	}
	conversation = who.must("POST", "/api/v1/conversations", settings)["id"].(string)
	return conversation, who.post(conversation, task)
}

// puts writes a file of a conversation's workspace.
func (c *cast) puts(conversation, name, text string) {
	c.t.Helper()
	dir := filepath.Join(c.data, "workspaces", conversation)
	must(c.t, os.MkdirAll(dir, 0o700))
	must(c.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// file is what stands in one, "" where there is none.
func (c *cast) file(conversation, name string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.data, "workspaces", conversation, name))
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	return string(text)
}

// branchRun is a run of a tree, as the events of its conversation tell of it.
type branchRun struct {
	id, parent, agent, task string
	starts, ends            int
	status, reason          string
}

// tree are the runs of a conversation in the order in which they began.
func (c *cast) tree(conversation string) []*branchRun {
	c.t.Helper()
	var runs []*branchRun
	for i, e := range c.root.events(conversation, 0) {
		if int(e["seq"].(float64)) != i+1 {
			c.t.Fatalf("event %d has seq %v", i+1, e["seq"])
		}
		id, _ := e["runId"].(string)
		parent, _ := e["parentRunId"].(string)
		at := slices.IndexFunc(runs, func(r *branchRun) bool { return r.id == id })
		if at < 0 {
			at = len(runs)
			runs = append(runs, &branchRun{id: id, parent: parent})
		}
		r := runs[at]
		if r.parent != parent {
			c.t.Errorf("event %v of run %s names the parent %q, others %q", e["seq"], id, parent, r.parent)
		}
		switch e["type"] {
		case "run-start":
			r.starts++
			r.agent, _ = e["agent"].(string)
			r.task, _ = e["task"].(string)
		case "finish":
			r.ends++
			r.status, _ = e["status"].(string)
			r.reason, _ = e["stopReason"].(string)
			for _, o := range runs {
				if o.parent == id && o.ends == 0 {
					c.t.Errorf("run %s ended before its child %s (%s)", id, o.id, o.agent)
				}
			}
		}
	}
	return runs
}

// settled wants that every run of a tree has begun and ended once, and returns them.
func (c *cast) settled(conversation string) []*branchRun {
	c.t.Helper()
	runs := c.tree(conversation)
	for _, r := range runs {
		if r.starts != 1 || r.ends != 1 {
			c.t.Errorf("run %s of %q began %d times and ended %d times", r.id, r.agent, r.starts, r.ends)
		}
	}
	return runs
}

// byAgent is the one run of an agent, whose task has a text.
func (c *cast) byAgent(conversation, agent, task string) *branchRun {
	c.t.Helper()
	for _, r := range c.tree(conversation) {
		if r.agent == agent && strings.Contains(r.task, task) {
			return r
		}
	}
	return nil
}

// awaits waits until an agent's run is in a state that is asked for.
func (c *cast) awaits(conversation, agent string, so func(run map[string]any) bool) (id string) {
	c.t.Helper()
	agenttest.Eventually(c.t, "the run of "+agent, func() bool {
		r := c.byAgent(conversation, agent, "")
		if r == nil {
			return false
		}
		id = r.id
		return so(c.root.must("GET", "/api/v1/runs/"+r.id, ""))
	})
	return id
}

// ended waits for the end of a run, whoever it waits for meanwhile.
func (c *cast) ended(run string) map[string]any {
	c.t.Helper()
	var v map[string]any
	defer func() {
		if c.t.Failed() { // say what it waits for
			c.t.Log(v, c.rex.must("GET", "/api/v1/approvals?status=pending&limit=200", "")["items"])
		}
	}()
	agenttest.Eventually(c.t, "the end of run "+run, func() bool {
		v = c.root.must("GET", "/api/v1/runs/"+run, "")
		return !slices.Contains([]any{"queued", "running", "paused"}, v["status"])
	})
	return v
}

// pending are the cards of a conversation, oldest first, once there are n.
func (c *cast) pending(conversation string, n int) []map[string]any {
	c.t.Helper()
	var found []map[string]any
	agenttest.Eventually(c.t, "cards", func() bool {
		found = nil
		for _, item := range c.rex.must("GET", "/api/v1/approvals?status=pending&limit=200", "")["items"].([]any) {
			if a := item.(map[string]any); a["conversationId"] == conversation {
				found = append(found, a)
			}
		}
		return len(found) >= n
	})
	if len(found) != n {
		c.t.Fatalf("%d cards wait, want %d: %v", len(found), n, found)
	}
	slices.SortFunc(found, func(a, b map[string]any) int { return strings.Compare(a["id"].(string), b["id"].(string)) })
	return found
}

// handed is a result of a delegation as the model reads it.
type handed struct {
	RunID, Status, StopReason, Answer, Why, More string
	Values                                       map[string]any
	Partial                                      bool
	Effects, Did                                 []string
	failed                                       bool
}

func readHanded(text string) (h handed) {
	h.failed = strings.HasPrefix(text, "Error")
	if at := strings.Index(text, "{"); at >= 0 {
		_ = json.Unmarshal([]byte(text[at:]), &h) // what is missing is not as wanted
	}
	return h
}

// conflicts wants that a decision is refused because things have changed.
func (a api) conflicts(card map[string]any, body string) {
	a.t.Helper()
	if status, raw := a.call("POST", "/api/v1/approvals/"+card["id"].(string)+"/decision", naming(card, body)); status != http.StatusConflict {
		a.t.Errorf("%s on a card that is settled: %d %s", body, status, raw)
	}
}
