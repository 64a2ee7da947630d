package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fusebox/agent"
)

// delegating is a model that hands tasks on: the chat to a lead and a writer, the lead to a
// hand, which runs a command. The writer goes on once it may.
func delegating(goOn <-chan struct{}) http.HandlerFunc {
	call := func(w http.ResponseWriter, calls ...agent.CallRequest) {
		var list []map[string]any
		for i, c := range calls {
			list = append(list, map[string]any{"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}})
		}
		chunk(w, map[string]any{"content": "I have it done. ", "tool_calls": list}, "tool_calls")
	}
	task := func(id, name, task string) agent.CallRequest {
		return agent.CallRequest{ID: id, Name: agent.DelegateTool, Arguments: fmt.Sprintf(`{"agent":%q,"task":%q}`, name, task)}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []struct{ Role, Content string }
		}
		if json.NewDecoder(r.Body).Decode(&req) != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		system, done := req.Messages[0].Content, req.Messages[len(req.Messages)-1].Role == "tool"
		switch {
		case strings.Contains(system, "I am hand.") && !done:
			call(w, agent.CallRequest{ID: "1", Name: "run_shell", Arguments: `{"command":"echo CLEAN >> effects.log"}`})
		case strings.Contains(system, "I am hand."):
			chunk(w, map[string]any{"content": "Cleaned."}, "stop")
		case strings.Contains(system, "I am lead.") && !done:
			call(w, task("1", "hand", "Append CLEAN to effects.log"))
		case strings.Contains(system, "I am lead."):
			chunk(w, map[string]any{"content": "It is tidied."}, "stop")
		case strings.Contains(system, "I am scribe."):
			select {
			case <-goOn:
			case <-r.Context().Done():
			}
			chunk(w, map[string]any{"content": "Hello you."}, "stop")
		case !done:
			call(w, task("1", "lead", "Have the log tidied, and say what was done to it"), task("2", "scribe", "Write a greeting"))
		default:
			chunk(w, map[string]any{"content": "All is done."}, "stop")
		}
	}
}

// TestBrowserAgents is what a person sees of agents that work for agents: who does what, the one
// card to decide, and afterwards what each has said.
func TestBrowserAgents(t *testing.T) {
	needsBrowser(t)
	goOn := make(chan struct{})
	model := httptest.NewServer(delegating(goOn))
	t.Cleanup(model.Close)
	p := startProgram(t, t.TempDir(), "OPENAI_BASE_URL="+model.URL+"/v1", "FUSEBOX_MODEL=scripted")
	for _, name := range []string{"lead", "hand", "scribe"} {
		body, err := json.Marshal(map[string]string{"name": name, "purpose": "Helps.", "instructions": "I am " + name + "."})
		must(t, err)
		if status, said := p.admin().call("POST", "/api/v1/agents", string(body)); status != http.StatusCreated {
			t.Fatalf("status %d: %s", status, said)
		}
	}
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.say("Tidy up")
	b.sees("#run-state", "hand waits for your decision")
	b.sees("#transcript > [data-card]", "main chat")
	b.shoot("tree-waits")
	b.do("open the lead's card", click(".child-head"), until(`document.querySelector(".child-log .child-head").checkVisibility()`))
	b.do("open the hand's card", click(".child-log .child-head"), until(`document.querySelector(".child-log [data-card]").checkVisibility()`))
	b.shoot("tree-open")
	b.do("see that nothing is too wide", chromedp.EmulateViewport(390, 900), until(`document.documentElement.scrollWidth <= innerWidth`), chromedp.EmulateViewport(1440, 900))
	b.do("reload", chromedp.Reload(), visible("#transcript > [data-card]"))
	if n := b.count("[data-card]"); n != 2 {
		t.Errorf("%d cards for one question: one in the chat and one in the transcript", n)
	}
	b.do("decide by keys from the message field", until(`document.activeElement.id === "composer-text"`), click("#to-card"),
		until(`document.activeElement.matches("#transcript > [data-card]")`))
	b.do("approve", until(`(document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true })), !document.querySelector("#transcript > [data-card]"))`))
	b.sees(".child-head", "done")
	b.sees("#run-state", "Waits for scribe")
	close(goOn)
	b.sees("#transcript > .end", "Done")
	if n := b.count(".child-log > *"); n != 0 {
		t.Errorf("the page keeps %d items of runs that have ended", n)
	}
	b.do("open what the lead did", click(".child-head"), until(`document.querySelector(".child-log .child-head")?.checkVisibility()`))
	b.sees(".child-log", "It is tidied.")
	b.shoot("tree-ended")
	b.do("open the run's page", click("#transcript > .answer > .tools > .child > details > .child-body > .child-ways a"))
	b.sees(".run-tree", "Whole tree")
	b.sees(".run-tree", "hand")
	b.sees(".crumb", "main chat")
	b.shoot("tree-run")
	b.open("/approvals?status=decided")
	b.sees("main", "main chat → lead → hand")
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
