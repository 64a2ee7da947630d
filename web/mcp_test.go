package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/web"
)

// bearer sends a client's token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// mcp connects the protocol's own client.
func (c client) mcp() (*sdk.ClientSession, error) {
	c.s.t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(c.s.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: c.s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer{c.token}}, MaxRetries: -1,
	}, nil)
	if err == nil {
		c.s.t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// tool calls a tool and returns its text and, where it gives one, its structure.
func (c client) tool(name string, args map[string]any) (text string, structure map[string]any, failed bool) {
	c.s.t.Helper()
	session, err := c.mcp()
	c.s.ok(err)
	res, err := session.CallTool(c.s.t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	c.s.ok(err)
	structure, _ = res.StructuredContent.(map[string]any)
	return res.Content[0].(*sdk.TextContent).Text, structure, res.IsError
}

// TestMCPLists: an agent sees its person's runs and the cards that person may see, with
// links, and no money where that is hidden.
func TestMCPLists(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, ana := s.user("admin@example.org", agent.RoleAdmin), s.user("ana@example.org", agent.RoleUser)
	over, card := s.finished(ana, "over"), s.paused(ana, "waits", shellCard(agent.RiskHigh, "ls"))
	others := s.paused(admin, "another's", budgetCard())
	s.as(ana).get("/settings/tokens").check(t, want{status: http.StatusOK, has: []string{"https://box.example.org/mcp"}})
	c := s.client(ana)
	link := "https://box.example.org/approvals/" + card.ID
	text, v, _ := c.tool("runs", nil)
	said := fmt.Sprintf("- paused %s, conversation %s, waits for tool: %s\n- finished %s, conversation %s (goal)\n", card.RunID, card.ConversationID, link, over.ID, over.ConversationID)
	rows := v["runs"].([]any)
	if text != said || len(rows) != 2 || rows[1].(map[string]any)["stopReason"] != "goal" || rows[1].(map[string]any)["url"] != "https://box.example.org/runs/"+over.ID {
		t.Errorf("runs: %v\n%s", v, text)
	}
	text, v, _ = c.tool("approvals", nil)
	rows = v["approvals"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["url"] != link || rows[0].(map[string]any)["risk"] != "high" || !strings.Contains(text, "run_shell") {
		t.Errorf("ana's approvals: %v\n%s", v, text)
	}
	s.ok(s.db.SetSetting(t.Context(), "x", agent.MoneyHiddenKey, "true"))
	reviewer := s.client(s.user("rex@example.org", agent.RoleReviewer))
	text, v, _ = reviewer.tool("approvals", nil)
	if rows := v["approvals"].([]any); len(rows) != 2 || !strings.Contains(text, others.ID) || strings.Contains(text, "$") {
		t.Errorf("a reviewer's approvals: %v\n%s", v, text)
	}
	if text, _, _ = reviewer.tool("runs", nil); text != "There are no runs yet." {
		t.Errorf("a reviewer's runs: %s", text)
	}
}

// TestMCPRefusals: what cannot be done says which field is wrong, and what to do.
func TestMCPRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, ana := s.user("admin@example.org", agent.RoleAdmin), s.user("ana@example.org", agent.RoleUser)
	busy, theirs := s.started(ana, "busy"), s.started(admin, "theirs")
	withAgents(t, s.client(admin))
	s.client(admin).call("POST", "/api/v1/workflows", articleBody).check(t, want{status: http.StatusCreated, location: "/api/v1/workflows/article"})
	c := s.client(ana)
	for _, tc := range []struct {
		name     string
		who      client
		args     map[string]any
		has, not string
	}{
		{"nothing", c, map[string]any{"message": " "}, "message: is empty", ""},
		{"no message at all", c, map[string]any{}, "message", ""},
		{"a field that is none", c, map[string]any{"message": "x", "chat": "y"}, "chat", ""},
		{"too much", c, map[string]any{"message": strings.Repeat("x", 256<<10+1)}, "message: has 262145 bytes", "content"},
		{"another's conversation", c, map[string]any{"message": "x", "conversationId": theirs.ConversationID}, "conversationId: names no conversation of yours", "theirs"},
		{"waiting for another's run", c, map[string]any{"message": "", "conversationId": theirs.ConversationID}, "conversationId: names no conversation of yours", "theirs"},
		{"another's, for an admin", s.client(admin), map[string]any{"message": "x", "conversationId": busy.ConversationID}, "conversationId: names another person's", ""},
		{"a second run", c, map[string]any{"message": "x", "conversationId": busy.ConversationID}, "conversationId: names a conversation whose run has not ended", ""},
		{"waiting for no run", c, map[string]any{"message": "", "conversationId": c.conversation()}, "message: is empty, and this conversation has no run", ""},
		{"a workflow that there is not", c, map[string]any{"message": "x", "workflow": "nothing"}, "workflow: there is no workflow named nothing", ""},
		{"nothing filled in", c, map[string]any{"message": "x", "workflow": "article"}, "inputs.topic: is missing", ""},
		{"something else filled in", c, map[string]any{"message": "x", "workflow": "article", "inputs": map[string]any{"topic": "tea", "words": "many"}}, "inputs.words: is not what is asked for", ""},
	} {
		text, _, failed := tc.who.tool("ask", tc.args)
		if !failed || !strings.Contains(text, tc.has) || tc.not != "" && strings.Contains(text, tc.not) {
			t.Errorf("%s: failed %v: %s", tc.name, failed, text)
		}
	}
}

// TestMCPWaits no longer than it may, and says how to go on; nothing is aborted.
func TestMCPWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	c, long, card := s.client(ana), s.started(ana, "long"), s.paused(ana, "asks", shellCard(agent.RiskHigh, "ls"))
	for _, tc := range []struct {
		run, conversation string
		wait              time.Duration
		status, says      string
	}{
		{long.ID, long.ConversationID, 50 * time.Second, "running", "still working"},
		{card.RunID, card.ConversationID, 5 * time.Second, "paused", "/approvals/" + card.ID},
	} {
		type answer struct {
			text   string
			v      map[string]any
			failed bool
		}
		answered := make(chan answer, 1)
		go func() {
			text, v, failed := c.tool("ask", map[string]any{"message": "", "conversationId": tc.conversation})
			answered <- answer{text, v, failed}
		}()
		s.clock.Outwait(t, tc.wait)
		got := agenttest.Receive(t, "the answer", answered)
		if got.failed || got.v["status"] != tc.status || got.v["runId"] != tc.run || !strings.Contains(got.text, tc.says) || !strings.Contains(got.text, tc.conversation) {
			t.Errorf("%v %v\n%s", got.failed, got.v, got.text)
		}
		now, err := s.db.Run(t.Context(), ana.Viewer(), tc.run)
		s.ok(err)
		if now.AbortBy != "" {
			t.Errorf("aborted by %s", now.AbortBy)
		}
	}
}

// TestMCPScopes: reading needs one scope and asking another one; a browser's session is
// never enough.
func TestMCPScopes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleAdmin)
	reads := s.clientWith(ana, agent.TokenRead)
	if text, _, failed := reads.tool("approvals", nil); failed {
		t.Error(text)
	}
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"message":"x"}}}`
	for _, body := range []string{ask, "[" + ask + "]", strings.Replace(ask, "method", "METHOD", 1)} {
		got := reads.call(http.MethodPost, "/mcp", body)
		got.check(t, want{status: http.StatusForbidden, has: []string{`"scope":"chat"`}})
		if h := got.header.Get("WWW-Authenticate"); !strings.Contains(h, `error="insufficient_scope", scope="chat"`) {
			t.Errorf("WWW-Authenticate: %s", h)
		}
	}
	// Whatever gets past the door by being read in another way, the tool refuses.
	got := reads.in(reads.opened(), http.MethodPost, strings.Replace(ask, `"arguments"`, `"Name":"runs","arguments"`, 1))
	got.check(t, want{status: http.StatusOK, has: []string{`lacks the scope`, `"isError":true`}})
	for _, c := range []client{{s, ""}, {s, "nonsense"}} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			got := c.call(method, "/mcp", ask)
			got.check(t, want{status: http.StatusUnauthorized, has: []string{"API token"}})
			if h := got.header.Get("WWW-Authenticate"); h != `Bearer realm="fusebox"` {
				t.Errorf("%s: WWW-Authenticate: %s", method, h)
			}
		}
	}
	if _, err := (client{s, "nonsense"}).mcp(); err == nil {
		t.Error("connected with a token that is none")
	}
}

// initialize is how older clients begin.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`

// opened begins a session as older clients do.
func (c client) opened() (id string) {
	c.s.t.Helper()
	got := c.call(http.MethodPost, "/mcp", initialize, "Accept", "application/json, text/event-stream")
	got.check(c.s.t.(*testing.T), want{status: http.StatusOK, has: []string{`"name":"fusebox"`}})
	return got.header.Get("Mcp-Session-Id")
}

// in makes a request of a session.
func (c client) in(session, method, body string) answer {
	c.s.t.Helper()
	return c.call(method, "/mcp", body, "Accept", "application/json, text/event-stream", "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-06-18")
}

// waiting lets a session wait for a run, and returns what it is answered.
func (c client) waiting(session string, run *agent.Run) <-chan string {
	c.s.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{"message":"","conversationId":%q},"_meta":{"progressToken":1}}}`, run.ConversationID)
	req, err := http.NewRequestWithContext(c.s.t.Context(), http.MethodPost, c.s.url+"/mcp", strings.NewReader(body))
	c.s.ok(err)
	for name, value := range map[string]string{"Authorization": "Bearer " + c.token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session} {
		req.Header.Set(name, value)
	}
	lines, last := make(chan struct{}, 1), make(chan string, 1)
	go func() {
		defer close(last)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return
		}
		defer func() { _ = res.Body.Close() }()
		var line string
		for in := bufio.NewScanner(res.Body); in.Scan(); {
			if strings.HasPrefix(in.Text(), "data:") {
				line = in.Text()
				select {
				case lines <- struct{}{}:
				default:
				}
			}
		}
		last <- line
	}()
	agenttest.Eventually(c.s.t, "progress", func() bool {
		c.s.step(run)
		return len(lines) > 0
	})
	return last
}

const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

// TestMCPSessions: a session belongs to the token that opened it, a person's oldest make
// room for new ones, and ending one ends what it waits for, not the run.
func TestMCPSessions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, ben := s.user("ana@example.org", agent.RoleAdmin), s.user("ben@example.org", agent.RoleUser)
	c, other := s.client(ana), s.client(ben)
	first := c.opened()
	c.in(first, http.MethodPost, ping).check(t, want{status: http.StatusOK})
	for _, stranger := range []client{other, s.client(ana)} {
		for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodGet} {
			stranger.in(first, method, ping).check(t, want{status: http.StatusForbidden})
		}
	}
	run := s.started(ana, "long")
	waits := c.waiting(first, run)
	for range 32 {
		c.opened()
	}
	c.in(first, http.MethodPost, ping).check(t, want{status: http.StatusOK}) // it is at work
	c.in(first, http.MethodDelete, "").check(t, want{status: http.StatusNoContent})
	<-waits
	c.in(first, http.MethodPost, ping).check(t, want{status: http.StatusNotFound})
	now, err := s.db.Run(t.Context(), ana.Viewer(), run.ID)
	s.ok(err)
	if now.AbortBy != "" {
		t.Errorf("aborted by %s", now.AbortBy)
	}
	idle := c.opened()
	for range 32 {
		c.opened()
	}
	agenttest.Eventually(s.t, "room for others", func() bool { return c.in(idle, http.MethodPost, ping).status == http.StatusNotFound })
	s.closing()
	agenttest.Eventually(s.t, "the end of all", func() bool {
		got := c.call(http.MethodPost, "/mcp", initialize, "Accept", "application/json, text/event-stream")
		return got.status == http.StatusServiceUnavailable
	})
}

// TestMCPBrokenConnection: an older client that is cut off has not cancelled: its run goes on.
func TestMCPBrokenConnection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	c := s.client(ana)
	session := c.opened()
	ctx, cut := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{"message":"work"}}}`))
	s.ok(err)
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session} {
		req.Header.Set(name, value)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if res, err := (bearer{c.token}).RoundTrip(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}()
	var runs []agent.Run
	agenttest.Eventually(s.t, "the run", func() bool {
		runs, err = s.db.RecentRuns(t.Context(), ana.ID, 1)
		s.ok(err)
		return len(runs) == 1
	})
	cut()
	<-gone
	c.in(session, http.MethodDelete, "").check(t, want{status: http.StatusNoContent}) // which waits for the call
	run, err := s.db.Run(t.Context(), ana.Viewer(), runs[0].ID)
	s.ok(err)
	if run.AbortBy != "" || run.Status != agent.StatusQueued {
		t.Errorf("%s, aborted by %q", run.Status, run.AbortBy)
	}
}

// TestMCPDoor: pages of other sites and foreign names are refused, a body has a bound, and
// the path of server.url goes before the address.
func TestMCPDoor(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.URL = "https://box.example.org/fuse"; o.Hosts = []string{"box.example.org"} })
	c := s.client(s.user("ana@example.org", agent.RoleAdmin))
	both := []string{"Accept", "application/json, text/event-stream"}
	c.call(http.MethodPost, "/mcp", initialize, append(both, "Origin", "https://evil.example.org")...).check(t, want{status: http.StatusForbidden, has: []string{"other sites"}})
	c.call(http.MethodPost, "/fuse/mcp", initialize, append(both, "Origin", "https://box.example.org")...).check(t, want{status: http.StatusOK})
	c.call(http.MethodPost, "/mcp", strings.Repeat(" ", 3<<20), both...).check(t, want{status: http.StatusRequestEntityTooLarge})
	c.call(http.MethodPost, "/mcp", "["+strings.Repeat(ping+",", 16)+ping+"]", both...).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"17 messages", "at most 16"}})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+"/mcp", strings.NewReader(initialize))
	s.ok(err)
	req.Host = "rebound.example.org"
	req.Header.Set("Authorization", "Bearer "+c.token)
	s.browser().do(req).check(t, want{status: http.StatusForbidden, has: []string{"server.hosts"}})
}
