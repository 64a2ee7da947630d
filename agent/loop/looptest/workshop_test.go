package looptest

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/sandbox"
	"fusebox/agent/service"
	"fusebox/agent/tools"
)

// workshop is a world with the real tools, whose runs share a workspace.
type workshop struct {
	*world
	dir string // the workspace
	// before and after are told of each call.
	before, after func(callID string)
}

// watched wraps the real tools and reports each call.
type watched struct {
	*tools.Registry
	shop *workshop
}

func (b watched) Execute(ctx context.Context, name string, in agent.ToolInput) agent.ToolResult {
	if b.shop.before != nil {
		b.shop.before(in.CallID)
	}
	res := b.Registry.Execute(ctx, name, in)
	if b.shop.after != nil {
		b.shop.after(in.CallID)
	}
	return res
}

func newWorkshop(t *testing.T, mode agent.ApprovalMode, agents map[string][]agenttest.Turn, turns ...agenttest.Turn) *workshop {
	t.Helper()
	w := &workshop{world: newWorld(t, turns...)}
	w.model.Agents = agents
	for name := range agents {
		w.addAgent(agent.Agent{Name: name, Purpose: "Works on files."})
	}
	if mode != agent.ModeDefault {
		_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{ApprovalMode: &mode})
		w.must(err)
	}
	data, log := t.TempDir(), slog.New(slog.DiscardHandler)
	box, err := sandbox.New(sandbox.Options{Mode: "off", Data: data, Logger: log})
	w.must(err)
	w.dir = filepath.Join(data, "workspaces", "c")
	w.must(os.MkdirAll(w.dir, 0o700))
	w.onStart = func() {
		real, err := tools.New(tools.Config{
			DataDir: data, HTTPClient: http.DefaultClient, Timeout: agenttest.Hang, OutputLimit: 32 << 10, Sandbox: box, Logger: log,
		})
		w.must(err)
		w.runner.Loop.Tools, w.service.Approvals.Tools = watched{real, w}, real
		w.runner.Loop.Settings.ToolsInView = 30
	}
	w.onStart()
	return w
}

func (w *workshop) put(name, text string) {
	w.t.Helper()
	w.must(os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600))
}

func (w *workshop) holds(name, want string) {
	w.t.Helper()
	got, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil || string(got) != want {
		w.t.Errorf("%s has %q (%v), want %q", name, got, err, want)
	}
}

// together advances all runs that are ready, side by side, until none is.
func (w *workshop) together(runID string) *agent.Run {
	w.t.Helper()
	ended, atWork := make(chan error), 0
	for {
		run, err := w.store.Claim(w.t.Context(), "test", time.Minute)
		switch {
		case err == nil:
			atWork++
			go func() { ended <- w.runner.Loop.Advance(w.t.Context(), run) }()
		case agent.CodeOf(err) != agent.NotFound:
			w.t.Fatal(err)
		case atWork > 0:
			w.must(agenttest.Receive(w.t, "a run to let go", ended))
			atWork--
		default:
			run, err := w.store.Run(w.t.Context(), ana, runID)
			w.must(err)
			return run
		}
	}
}

// ask sends a message and lets its runs go side by side until they wait or end.
func (w *workshop) ask() *agent.Run {
	w.t.Helper()
	done, err := w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: "Work on the files."})
	w.must(err)
	return w.together(done.RunID)
}

// results are what the calls of an agent's run came to, by their ids.
func (w *workshop) results(root, name string) map[string]agent.ToolCall {
	w.t.Helper()
	found := map[string]agent.ToolCall{}
	for _, r := range w.tree(root) {
		if r.Agent != name {
			continue
		}
		calls, err := w.store.ToolCalls(w.t.Context(), r.ID)
		w.must(err)
		for _, c := range calls {
			found[c.ID] = c
		}
	}
	return found
}

// failsWith wants that a call has failed with certain words.
func (w *workshop) failsWith(c agent.ToolCall, words ...string) {
	w.t.Helper()
	for _, word := range words {
		if c.State != agent.CallError || !strings.Contains(c.Result, word) {
			w.t.Errorf("call %s is %s without %q: %s", c.ID, c.State, word, c.Result)
		}
	}
}

// works wants that calls have been made.
func (w *workshop) works(calls map[string]agent.ToolCall, ids ...string) {
	w.t.Helper()
	for _, id := range ids {
		if c := calls[id]; c.State != agent.CallSuccess {
			w.t.Errorf("call %s is %s: %s", id, c.State, c.Result)
		}
	}
}

// hands is an answer that hands a task to each of some agents, all at once.
func hands(names ...string) agenttest.Turn {
	var t agenttest.Turn
	for _, name := range names {
		t.Calls = append(t.Calls, delegateCall("hand-"+name, name, "Do the part of "+name+"."))
	}
	return t
}

func readsFile(id, path string) agenttest.Turn {
	return one(id, "read_file", string(agent.MustJSON(map[string]any{"path": path})))
}

func writesFile(id, path, content string) agenttest.Turn {
	return one(id, "write_file", string(agent.MustJSON(map[string]any{"path": path, "content": content})))
}

func editsFile(id, path, old, now string) agent.CallRequest {
	return agenttest.Call(id, "edit_file", string(agent.MustJSON(map[string]any{"path": path, "old": old, "new": now})))
}

// asShown allows a call as its card shows it.
func asShown(a agent.Approval) agent.Decision {
	return agent.Decision{Verb: agent.DecideApprove, ArgsHash: a.ArgsHash, Generation: a.Generation}
}

// cardsByCall are the pending approvals.
func (w *workshop) cardsByCall() map[string]agent.Approval {
	w.t.Helper()
	items, _, err := w.store.Approvals(w.t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	w.must(err)
	cards := map[string]agent.Approval{}
	for _, a := range items {
		cards[a.ToolCallID] = a
	}
	return cards
}
