package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// dial opens a websocket with a program's token, if it has one, or returns the
// status of the refusal.
func (c client) dial(path string, header ...string) (*websocket.Conn, int) {
	c.s.t.Helper()
	h := http.Header{}
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	conn, res, err := websocket.DefaultDialer.DialContext(c.s.t.Context(), "ws"+strings.TrimPrefix(c.s.url, "http")+path, h)
	if err != nil {
		return nil, res.StatusCode
	}
	c.s.t.Cleanup(func() { _ = conn.Close() })
	return conn, res.StatusCode
}

// read returns the next n messages.
func read(t *testing.T, conn *websocket.Conn, n int) []string {
	t.Helper()
	var got []string
	for range n {
		if err := conn.SetReadDeadline(time.Now().Add(agenttest.Hang)); err != nil {
			t.Fatal(err)
		}
		_, raw, err := conn.ReadMessage()
		if err != nil {
			t.Fatalf("after %d messages: %v", len(got), err)
		}
		got = append(got, strings.TrimSpace(string(raw)))
	}
	return got
}

// closes waits until the server hangs up.
func closes(t *testing.T, conn *websocket.Conn) {
	t.Helper()
	for {
		if err := conn.SetReadDeadline(time.Now().Add(agenttest.Hang)); err != nil {
			t.Fatal(err)
		}
		_, _, err := conn.ReadMessage()
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			t.Fatal("the socket stayed open")
		}
		if err != nil {
			return
		}
	}
}

// TestSocketIsTheSameLog: from any point the socket gives what NDJSON gives,
// stored and live, each event once and in order.
func TestSocketIsTheSameLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "a")
	c := s.client(ana)
	path := func(after int) string { return fmt.Sprintf("/ws/conversations/%s?after=%d", run.ConversationID, after) }
	early, _ := c.dial(path(0))
	for i := range 20 {
		s.append(run, agent.Change{Events: []agent.Event{{Data: agent.TextDelta{ID: "m", Delta: fmt.Sprint(i)}}}})
	}
	ndjson := c.call("GET", "/api/v1/conversations/"+run.ConversationID+"/events?follow=false", "")
	all := strings.Split(strings.TrimSpace(ndjson.body), "\n")
	if diff := cmp.Diff(all, read(t, early, len(all))); diff != "" {
		t.Errorf("live: %s", diff)
	}
	for after := 0; after < len(all); after += 3 {
		conn, _ := c.dial(path(after))
		if diff := cmp.Diff(all[after:], read(t, conn, len(all)-after)); diff != "" {
			t.Errorf("after %d: %s", after, diff)
		}
	}
}

func TestSocketOrigins(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	c := s.client(ana)
	path := "/ws/conversations/" + c.conversation()
	visitor := client{s: s}
	for _, tc := range []struct {
		name   string
		by     client
		header []string
		status int
	}{
		{"a program", c, nil, 101},
		{"its own page", c, []string{"Origin", s.url}, 101},
		{"a foreign page, token or not", c, []string{"Origin", "https://evil.example"}, 403},
		{"no page at all", c, []string{"Origin", "null"}, 403},
		{"a browser without an origin", visitor, []string{"Cookie", s.as(ana).cookies()}, 403},
		{"a browser", visitor, []string{"Cookie", s.as(ana).cookies(), "Origin", s.url}, 101},
		{"nobody", visitor, []string{"Origin", s.url}, 401},
	} {
		if _, got := tc.by.dial(path, tc.header...); got != tc.status {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.status)
		}
	}
}

// cookies is what the browser would send.
func (b *browser) cookies() string {
	b.s.t.Helper()
	u, err := url.Parse(b.s.url)
	b.s.ok(err)
	var parts []string
	for _, c := range b.client.Jar.Cookies(u) {
		parts = append(parts, c.String())
	}
	return strings.Join(parts, "; ")
}

// TestSocketsEndWithTheRights: a demoted reviewer's inbox and a signed-out
// browser's chat are hung up on.
func TestSocketsEndWithTheRights(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	rex := s.user("rex@example.org", agent.RoleReviewer)
	inbox, status := s.client(rex).dial("/ws/inbox")
	if status != 101 {
		t.Fatal(status)
	}
	b := s.as(admin)
	b.get("/admin/users")
	form := map[string][]string{"role": {"user"}}
	if got := b.post("/admin/users/"+rex.ID, form); got.status != http.StatusSeeOther {
		t.Fatalf("demotion: %d %s", got.status, got.body)
	}
	closes(t, inbox)
	if _, status := s.client(rex).dial("/ws/inbox"); status != 403 {
		t.Errorf("the demoted one came back: %d", status)
	}
	s.ok(s.db.PatchUser(t.Context(), rex.ID, agent.UserPatch{Role: new(agent.RoleReviewer), Disabled: new(false)}))
	c := s.client(admin)
	conversation := c.conversation()
	chat, status := client{s: s}.dial("/ws/conversations/"+conversation, "Cookie", b.cookies(), "Origin", s.url)
	if status != 101 {
		t.Fatal(status)
	}
	b.post("/logout", nil)
	closes(t, chat)
}

// TestInboxSocket: a reviewer hears what is waiting, what is new, and what was decided.
func TestInboxSocket(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rex := s.user("ana@example.org", agent.RoleUser), s.user("rex@example.org", agent.RoleReviewer)
	waiting := s.paused(ana, "a", shellCard(agent.RiskHigh, "ls"))
	c := s.client(rex)
	conn, _ := c.dial("/ws/inbox")
	if got := read(t, conn, 1)[0]; !strings.Contains(got, waiting.ID) || !strings.Contains(got, `"type":"approval-requested"`) || !strings.Contains(got, waiting.ConversationID) {
		t.Errorf("first: %s", got)
	}
	c.call("POST", "/api/v1/approvals/"+waiting.ID+"/decision", `{"decision":"approve","generation":1,"argsHash":"hash-of-args"}`)
	if got := read(t, conn, 1)[0]; !strings.Contains(got, waiting.ID) || !strings.Contains(got, `"type":"approval-decided"`) {
		t.Errorf("then: %s", got)
	}
}

// TestClientThatNeverReads is disconnected, while the log goes on and others read it.
func TestClientThatNeverReads(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "a")
	c := s.client(ana)
	deaf, _ := c.dial("/ws/conversations/" + run.ConversationID)
	tcp, ok := deaf.NetConn().(*net.TCPConn)
	if !ok {
		t.Fatal("no TCP")
	}
	s.ok(tcp.SetReadBuffer(4 << 10))
	hearing, _ := c.dial("/ws/conversations/" + run.ConversationID)
	big := strings.Repeat("x", 256<<10)
	for range 100 { // more than the buffers of both sides hold
		s.append(run, agent.Change{Events: []agent.Event{{Data: agent.TextDelta{ID: "m", Delta: big}}}})
		for !strings.Contains(read(t, hearing, 1)[0], big) {
			continue // what was there before
		}
	}
	// A client that does not read notices the end only when it writes: the server answers with a reset.
	agenttest.Eventually(t, "the end of the socket", func() bool {
		return deaf.WriteMessage(websocket.TextMessage, []byte("anybody?")) != nil
	})
}

// TestSocketFeedsThePage: with format=html the messages are changes of the page.
func TestSocketFeedsThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "a")
	c := s.client(ana)
	conn, _ := c.dial("/ws/conversations/" + run.ConversationID + "?format=html&after=0")
	var batch struct {
		Seq       int64
		Fragments []struct{ Op, Target, HTML string }
	}
	s.ok(json.Unmarshal([]byte(read(t, conn, 1)[0]), &batch))
	if batch.Seq == 0 || len(batch.Fragments) == 0 || !strings.Contains(batch.Fragments[0].HTML, "please do a") {
		t.Errorf("batch: %+v", batch)
	}
}

// BenchmarkDelta is one delta from the journal to the message of a websocket.
func BenchmarkDelta(b *testing.B) {
	for _, format := range []string{"json", "html"} {
		b.Run(format, func(b *testing.B) {
			s := newSite(b)
			ana := s.user("ana@example.org", agent.RoleUser)
			run := s.started(ana, "a")
			conv, err := s.db.Conversation(b.Context(), ana.Viewer(), run.ConversationID)
			s.ok(err)
			conn, _ := s.client(ana).dial(fmt.Sprintf("/ws/conversations/%s?format=%s&after=%d", conv.ID, format, conv.LastSeq))
			for b.Loop() {
				s.append(run, agent.Change{Events: []agent.Event{{Data: agent.TextDelta{ID: "m", Delta: "some words "}}}})
				if _, _, err := conn.ReadMessage(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
