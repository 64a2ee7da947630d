package e2e

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent/agenttest"
)

// withToken sends an API token with every request.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// assistant is an agent that uses Fusebox as a server of tools.
type assistant struct {
	t       testing.TB
	session *mcp.ClientSession

	mu       sync.Mutex
	progress []string
}

// assistantOf connects an agent in a version of the protocol, "" for the newest.
func assistantOf(who api, version string) *assistant {
	who.t.Helper()
	a := &assistant{t: who.t}
	client := mcp.NewClient(&mcp.Implementation{Name: "assistant"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.progress = append(a.progress, req.Params.Message)
		},
	})
	var err error
	a.session, err = client.Connect(who.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: who.url + "/mcp", HTTPClient: &http.Client{Transport: withToken(who.token)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		who.t.Fatal(err)
	}
	who.t.Cleanup(func() { _ = a.session.Close() })
	return a
}

// told is all progress so far.
func (a *assistant) told() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.progress, "\n")
}

// hears waits for progress: the client may hand it on after the answer that it came before.
func (a *assistant) hears(says string) {
	a.t.Helper()
	agenttest.Eventually(a.t, "progress that says "+says, func() bool { return strings.Contains(a.told(), says) })
}

// ask calls the tool and returns its text and structure.
func (a *assistant) ask(ctx context.Context, message, conversation string) (string, map[string]any, error) {
	args := map[string]any{"message": message}
	if conversation != "" {
		args["conversationId"] = conversation
	}
	params := &mcp.CallToolParams{Name: "ask", Arguments: args}
	params.SetProgressToken("p")
	res, err := a.session.CallTool(ctx, params)
	if err != nil {
		return "", nil, err
	}
	v, _ := res.StructuredContent.(map[string]any)
	return res.Content[0].(*mcp.TextContent).Text, v, nil
}

// must is ask, for calls that have to succeed.
func (a *assistant) must(message, conversation string) (string, map[string]any) {
	a.t.Helper()
	text, v, err := a.ask(a.t.Context(), message, conversation)
	if err != nil || v == nil {
		a.t.Fatalf("%v: %s", err, text)
	}
	return text, v
}

// TestMCPServer: another agent gives Fusebox a task, follows it, is sent to a person where one
// has to decide, and aborts what it cancels, in the protocol with sessions and without.
func TestMCPServer(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	for name, version := range map[string]string{"newest": "", "with sessions": "2025-06-18"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ana, rex := api{t, h.url, h.ana.token}, api{t, h.url, h.rex.token}
			t.Run("lists its tools", func(t *testing.T) {
				a := assistantOf(api{t, ana.url, ana.token}, version)
				list, err := a.session.ListTools(t.Context(), nil)
				if err != nil || len(list.Tools) != 3 {
					t.Fatalf("%v %+v", err, list)
				}
				for _, tool := range list.Tools {
					if tool.Annotations.ReadOnlyHint == (tool.Name == "ask") || tool.OutputSchema == nil {
						t.Errorf("%+v", tool)
					}
				}
			})
			t.Run("answers", func(t *testing.T) {
				a := assistantOf(api{t, ana.url, ana.token}, version)
				message := t.Name()
				h.model.plays(message, []asked{{"calculator", `{"expression":"6*7"}`}})
				text, v := a.must(message, "")
				if text != "done" || v["status"] != "finished" || v["stopReason"] != "goal" || v["answer"] != "done" {
					t.Errorf("%s %v", text, v)
				}
				a.hears("Step 1")
				a.hears("Runs calculator")
				again, w := a.must(message+" again", v["conversationId"].(string))
				if again != "done" || w["conversationId"] != v["conversationId"] || w["runId"] == v["runId"] {
					t.Errorf("the second message: %s %v", again, w)
				}
				if text, same := a.must("", v["conversationId"].(string)); text != "done" || same["runId"] != w["runId"] {
					t.Errorf("no message: %s %v", text, same)
				}
			})
			t.Run("pauses", func(t *testing.T) {
				a := assistantOf(api{t, ana.url, ana.token}, version)
				message := t.Name()
				h.model.plays(message, []asked{sh("echo ran > effects")})
				text, v := a.must(message, "")
				if v["status"] != "paused" || v["answer"] != "" {
					t.Fatalf("%v", v)
				}
				card := v["approvals"].([]any)[0].(map[string]any)
				link := h.url + "/approvals/" + card["id"].(string)
				if card["kind"] != "tool" || card["url"] != link || !strings.Contains(text, link) {
					t.Errorf("%v\n%s", card, text)
				}
				a.hears(link)
				run := v["runId"].(string)
				goesOn := make(chan string, 1)
				go func() {
					text, _, _ := a.ask(t.Context(), "", v["conversationId"].(string))
					goesOn <- text
				}()
				if status, w := decides(rex, rex.must("GET", "/api/v1/approvals/"+card["id"].(string), ""), `{"decision":"approve"}`); status != http.StatusOK {
					t.Fatal(w)
				}
				if text := agenttest.Receive(t, "the answer after the decision", goesOn); text != "done" {
					t.Errorf("after the decision: %s", text)
				}
				if got := ana.rests(run); got["status"] != "finished" {
					t.Errorf("%v", got)
				}
			})
			t.Run("cancels", func(t *testing.T) {
				a := assistantOf(api{t, ana.url, ana.token}, version)
				message := t.Name()
				h.model.plays(message, []asked{sh("echo ran > effects")})
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() {
					_, _, err := a.ask(ctx, message, "")
					ended <- err
				}()
				a.hears("/approvals/")
				cancel()
				if err := agenttest.Receive(t, "the end of the call", ended); err == nil {
					t.Error("an answer to a cancelled call")
				}
				_, id, _ := strings.Cut(a.told(), "/approvals/")
				run := rex.must("GET", "/api/v1/approvals/"+strings.Fields(id)[0], "")["runId"].(string)
				agenttest.Eventually(t, "the run's abort", func() bool {
					return ana.must("GET", "/api/v1/runs/"+run, "")["stopReason"] == "user_abort"
				})
			})
		})
	}
}

// TestMCPServerStops: a server that stops does not wait for agents, and aborts nothing of theirs.
func TestMCPServerStops(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	h.model.plays(t.Name(), []asked{sh("sleep 1000")})
	conversation, run := h.ana.ask(t.Name())
	h.ana.rests(run)
	a := assistantOf(h.ana, "2025-06-18")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = a.ask(t.Context(), "", conversation)
	}()
	if err := h.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = h.cmd.Wait()
	agenttest.Receive(t, "the end of the agent's call", ended)
	h.restart(t)
	if got := h.ana.rests(run); got["status"] != "paused" {
		t.Errorf("%v", got)
	}
}
