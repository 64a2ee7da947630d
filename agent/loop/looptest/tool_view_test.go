package looptest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/sandbox"
	"fusebox/agent/tools"
)

// outside is a tool of a source from outside, which tells that it was called.
type outside struct{ spec agent.ToolSpec }

func (o outside) Spec() agent.ToolSpec { return o.spec }

func (o outside) Run(context.Context, agent.ToolInput) agent.ToolResult {
	return agent.ToolResult{Content: "this is " + o.spec.Name}
}

// crowded is a world with the real tools and 300 more of 12 sources.
func crowded(t *testing.T, turns ...agenttest.Turn) *world {
	t.Helper()
	w := newWorld(t, turns...)
	log := slog.New(slog.DiscardHandler)
	box, err := sandbox.New(sandbox.Options{Mode: "off", Data: t.TempDir(), Logger: log})
	w.must(err)
	real, err := tools.New(tools.Config{
		DataDir: t.TempDir(), HTTPClient: http.DefaultClient, Timeout: time.Minute, OutputLimit: 32 << 10, Sandbox: box, Clock: w.clock, Logger: log,
	})
	w.must(err)
	for s := range 12 {
		source := fmt.Sprintf("mcp:dept%d", s)
		var list []tools.Tool
		says := ""
		if s == 7 {
			says = "Refund on weekdays only."
		}
		for i := range 25 {
			list = append(list, outside{agent.ToolSpec{
				Name: fmt.Sprintf("dept%d__job%d", s, i), Description: fmt.Sprintf("Does job %d of department %d.", i, s),
				Parameters: json.RawMessage(`{"type":"object","properties":{"subject":{"type":"string"}}}`), Source: source, Effect: agent.EffectRead, Idempotent: true,
				SourceSays: says,
			}})
		}
		if s == 7 {
			list[13] = outside{agent.ToolSpec{
				Name: "dept7__refund", Description: "Pays an invoice back to a customer. 发票退款", Parameters: json.RawMessage(`{"type":"object"}`), Source: source, Effect: agent.EffectRead, SourceSays: says,
			}}
		}
		if refused := real.Replace(source, list); len(refused) > 0 {
			t.Fatal(refused)
		}
	}
	w.onStart = func() {
		w.runner.Loop.Tools, w.service.Approvals.Tools = real, real
		w.runner.Loop.Settings.ToolsInView = 20
	}
	w.onStart()
	return w
}

func one(id, tool, args string) agenttest.Turn {
	return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, tool, args)}}
}

func namesOf(specs []agent.ToolSpec) (names []string) {
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

// TestFewToolsAreInView: of 300 tools the model is shown the core, finds the right one, and
// calls it. What it finds comes behind what was there, and stays over a restart; the next
// run begins with the core.
func TestFewToolsAreInView(t *testing.T) {
	t.Parallel()
	w := crowded(t,
		one("a", "find_tools", `{"query":"refund an invoice"}`),
		one("b", "dept7__refund", `{}`),
		one("c", "find_tools", `{"query":"发票退款"}`),
		one("d", "run_shell", `{"command":"true"}`), // nobody has looked for it
		one("e", "run_shell", `{"command":"true"}`),
	)
	run := w.post("pay it back")
	asked := w.model.Requests()
	if run.Status != agent.StatusPaused || len(asked) != 5 {
		t.Fatalf("%s after %d requests", run.Status, len(asked))
	}
	if n := len(asked[0].Tools); n > 20 || !slices.Contains(namesOf(asked[0].Tools), "find_tools") || slices.Contains(namesOf(asked[0].Tools), "run_shell") {
		t.Errorf("the first request has %d tools: %v", n, namesOf(asked[0].Tools))
	}
	for i, r := range asked[1:] {
		before := asked[i]
		if r.System != before.System || len(r.Tools) < len(before.Tools) || !slices.Equal(namesOf(r.Tools)[:len(before.Tools)], namesOf(before.Tools)) {
			t.Errorf("request %d does not begin as the one before: %v, %v", i+2, namesOf(before.Tools), namesOf(r.Tools))
		}
	}
	results := find[agent.ToolCallResult](w.events())
	if !strings.Contains(results[0].Result, "dept7__refund") || results[1].Result != "this is dept7__refund" ||
		!strings.HasPrefix(results[2].Result, `{"tools":[{"name":"dept7__refund"`) {
		t.Errorf("found %v", results)
	}
	if r := results[3]; r.ErrorType != agent.ErrInvalidParams || !strings.Contains(r.Result, "in view from now on") {
		t.Errorf("a tool that is not in view answers %+v", r)
	}
	if told := find[agent.Notice](w.events()); len(told) < 2 || !strings.Contains(told[0].Message, "dept7__refund") {
		t.Errorf("people are told %v", told)
	}
	w.restart()
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideReject})
	w.advance(run.ID)
	asked = w.model.Requests()
	if last := asked[5]; !slices.Equal(namesOf(last.Tools), namesOf(asked[4].Tools)) {
		t.Errorf("after the restart the tools are %v", namesOf(last.Tools))
	}
	w.post("and now?")
	asked = w.model.Requests()
	if got := namesOf(asked[len(asked)-1].Tools); !slices.Equal(got, namesOf(asked[0].Tools)) {
		t.Errorf("the next run begins with %v", got)
	}
}

// TestAConversationChoosesItsTools: the model is shown the chosen sets without a search
// where they are few, and a call of another set's tool is refused.
func TestAConversationChoosesItsTools(t *testing.T) {
	t.Parallel()
	w := crowded(t, one("a", "dept7__refund", `{}`), one("b", "find_tools", `{"query":"refund"}`))
	_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{ToolSets: &[]string{"files"}})
	w.must(err)
	w.post("pay it back")
	shown := namesOf(w.model.Requests()[0].Tools)
	if !slices.Contains(shown, "read_file") || slices.Contains(shown, "find_tools") || slices.Contains(shown, "run_shell") || len(shown) > 20 {
		t.Errorf("shown are %v", shown)
	}
	results := find[agent.ToolCallResult](w.events())
	if results[0].ErrorType != agent.ErrPermission || strings.Contains(results[1].Result, "refund") {
		t.Errorf("results %+v", results)
	}
	_, err = w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{ToolSets: &[]string{}})
	w.must(err)
	conv, err := w.store.Conversation(t.Context(), ana, "c")
	if w.must(err); len(conv.ToolSets) != 0 {
		t.Errorf("all sets are stored as %v", conv.ToolSets)
	}
}
