package web_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
	"fusebox/web"
)

// live is a reader of a live event log, by one door or the other.
type live struct {
	ended chan struct{} // closed once the server has let go of it
}

func (l live) ends(t *testing.T, name string) {
	t.Helper()
	agenttest.Receive(t, "the end of a reader: "+name, l.ended)
}

func (l live) goesOn(t *testing.T, name string) {
	t.Helper()
	select {
	case <-l.ended:
		t.Errorf("%s: the reader was let go of", name)
	default:
	}
}

// credentials are the headers that prove who a reader is.
type credentials map[string]string

func (c client) credentials() credentials { return credentials{"Authorization": "Bearer " + c.token} }

func (b *browser) credentials() credentials {
	b.s.t.Helper()
	return credentials{"Cookie": b.cookies(), "Origin": b.s.url}
}

// follow opens the event log of a conversation as NDJSON and waits for its
// first event, so that it is surely open.
func (s *site) follow(conversationID string, with credentials) live {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/conversations/"+conversationID+"/events", nil)
	s.ok(err)
	for k, v := range with {
		req.Header.Set(k, v)
	}
	res, err := checked.Client().Do(req)
	s.ok(err)
	s.t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("follow: %d", res.StatusCode)
	}
	lines := bufio.NewReader(res.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		s.t.Fatal(err)
	}
	return untilEnd(func() error { _, err := lines.ReadString('\n'); return err })
}

// watch opens a websocket and waits for its first message.
func (s *site) watch(path string, with credentials) live {
	s.t.Helper()
	var header []string
	for k, v := range with {
		header = append(header, k, v)
	}
	conn, status := client{s: s}.dial(path, header...)
	if status != http.StatusSwitchingProtocols {
		s.t.Fatalf("socket: %d", status)
	}
	next := func() error { _, _, err := conn.ReadMessage(); return err }
	s.ok(next())
	return untilEnd(next)
}

func untilEnd(next func() error) live {
	l := live{make(chan struct{})}
	go func() {
		defer close(l.ended)
		for next() == nil {
			continue
		}
	}()
	return l
}

// TestReadersEndWithTheirRights: whatever takes a reader's right to read away
// ends their streams at both doors, at once where this process did it, at the next look
// where another one did or where time did.
func TestReadersEndWithTheirRights(t *testing.T) {
	t.Parallel()
	const look = 30 * time.Second // more than the time between two looks
	for _, tc := range []struct {
		name string
		// end takes the right away that b's session and c's token give to u.
		end func(s *site, u agent.User, b *browser, c client)
		// who still reads afterwards
		session, token bool
	}{
		{"signing out", func(_ *site, _ agent.User, b *browser, _ client) { b.post("/logout", nil) }, false, true},
		{"signing in as somebody else", func(s *site, _ agent.User, b *browser, _ client) {
			eve := s.user("eve@example.org", agent.RoleUser)
			b.post("/login", url.Values{"email": {eve.Email}, "password": {goodPassword}})
		}, false, true},
		{"disabled by an admin", func(s *site, u agent.User, _ *browser, _ client) {
			admin := s.as(s.user("boss@example.org", agent.RoleAdmin))
			admin.post("/admin/users/"+u.ID, url.Values{"role": {"user"}, "disabled": {"true"}})
		}, false, false},
		{"disabled by another process", func(s *site, u agent.User, _ *browser, _ client) {
			s.ok(s.db.PatchUser(s.t.Context(), u.ID, agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(true)}))
			s.clock.Advance(look)
		}, false, false},
		{"another role by another process", func(s *site, u agent.User, _ *browser, _ client) {
			s.ok(s.db.PatchUser(s.t.Context(), u.ID, agent.UserPatch{Role: new(agent.RoleReviewer), Disabled: new(false)}))
			s.clock.Advance(look)
		}, false, false},
		{"a token deleted by another process", func(s *site, u agent.User, _ *browser, _ client) {
			all, err := s.db.Tokens(s.t.Context(), u.ID)
			s.ok(err)
			s.ok(s.db.DeleteToken(s.t.Context(), u.ID, all[0].ID))
			s.clock.Advance(look)
		}, true, false},
		{"a new password by another process", func(s *site, u agent.User, _ *browser, _ client) {
			s.ok(s.db.SetPassword(s.t.Context(), u.ID, passwordHash(), true))
			s.clock.Advance(look)
		}, false, true},
		{"a new password and no tokens by another process", func(s *site, u agent.User, _ *browser, _ client) {
			s.ok(s.db.SetPassword(s.t.Context(), u.ID, passwordHash(), false))
			s.clock.Advance(look)
		}, false, false},
		{"a new password", func(s *site, u agent.User, _ *browser, _ client) {
			s.as(u).post("/settings/password", form("old", goodPassword, "password", "another sentence"))
		}, false, false},
		{"a session that is over", func(s *site, _ agent.User, _ *browser, _ client) {
			s.clock.Advance(8 * 24 * time.Hour)
		}, false, true},
		{"nothing but time", func(s *site, _ agent.User, _ *browser, _ client) { s.clock.Advance(look) }, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.user("first@example.org", agent.RoleAdmin)
			ana := s.user("ana@example.org", agent.RoleUser)
			run := s.started(ana, "a")
			b, c := s.as(ana), s.client(ana)
			path := "/ws/conversations/" + run.ConversationID
			readers := map[string]live{
				"NDJSON by session": s.follow(run.ConversationID, b.credentials()),
				"NDJSON by token":   s.follow(run.ConversationID, c.credentials()),
				"socket by session": s.watch(path, b.credentials()),
				"socket by token":   s.watch(path, c.credentials()),
			}
			tc.end(s, ana, b, c)
			for name, l := range readers {
				if goes := strings.HasSuffix(name, "session") && tc.session || strings.HasSuffix(name, "token") && tc.token; !goes {
					l.ends(t, name)
				}
			}
			for name, l := range readers {
				if goes := strings.HasSuffix(name, "session") && tc.session || strings.HasSuffix(name, "token") && tc.token; goes {
					l.goesOn(t, name)
				}
			}
		})
	}
}

// TestReadersEndWithTheirChat: what was deleted is read no further, at both doors.
func TestReadersEndWithTheirChat(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	c := s.client(ana)
	gone, stays := s.finished(ana, "a").ConversationID, s.started(ana, "b").ConversationID
	ending := []live{s.follow(gone, c.credentials()), s.watch("/ws/conversations/"+gone, c.credentials())}
	other := s.follow(stays, c.credentials())
	c.call(http.MethodDelete, "/api/v1/conversations/"+gone, "").check(t, want{status: http.StatusNoContent})
	for _, l := range ending {
		l.ends(t, "of the deleted chat")
	}
	other.goesOn(t, "of another chat")
}

// buggyStore panics where a reader replays the log.
type buggyStore struct{ service.Store }

func (buggyStore) Events(context.Context, string, int64, int) ([]agent.Event, error) {
	panic("a bug")
}

// TestBugInAReader: a panic in a reader ends this one socket, not the process.
func TestBugInAReader(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Store = buggyStore{o.Store} })
	c := s.client(s.user("ana@example.org", agent.RoleUser))
	conn, status := c.dial("/ws/conversations/" + c.conversation())
	if status != http.StatusSwitchingProtocols {
		t.Fatal(status)
	}
	closes(t, conn)
	if got := c.call(http.MethodGet, "/api/v1/models", ""); got.status != http.StatusOK {
		t.Errorf("the server answers %d", got.status)
	}
}

// TestIdleSessionEnds: a session that nobody uses is over before its week is;
// one that is used lasts.
func TestIdleSessionEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleAdmin)
	used, left := s.as(ana), s.as(ana)
	for range 3 {
		s.clock.Advance(40 * time.Hour)
		used.get("/settings/account").check(t, want{status: http.StatusOK})
	}
	left.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount", hasNot: []string{ana.Email}})
	s.clock.Advance(40 * time.Hour)
	used.get("/settings/account").check(t, want{status: http.StatusOK})
	s.clock.Advance(40 * time.Hour)
	used.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount"})
}

// TestStreamsOfAClosingServer: a reader that comes back on a kept connection while the server
// closes is told to come back once more, by both doors.
func TestStreamsOfAClosingServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("ana@example.org", agent.RoleUser))
	id := c.conversation()
	s.closing()
	got := c.call(http.MethodGet, "/api/v1/conversations/"+id+"/events", "")
	got.check(t, want{status: http.StatusServiceUnavailable, has: []string{"The server is stopping"}})
	if got.header.Get("Retry-After") == "" {
		t.Error("it isn't said when to come back")
	}
	if _, status := c.dial("/ws/conversations/" + id); status != http.StatusServiceUnavailable {
		t.Errorf("socket: %d", status)
	}
}

// TestTooManyStreams: an account has a bounded number of readers, of both
// doors together; the one too many is refused and takes no place from others.
func TestTooManyStreams(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, ben := s.user("ana@example.org", agent.RoleUser), s.user("ben@example.org", agent.RoleUser)
	c := s.client(ana)
	id := s.started(ana, "a").ConversationID
	path := "/ws/conversations/" + id
	var first *websocket.Conn
	for range web.MaxUserStreams {
		conn, status := c.dial(path)
		if status != http.StatusSwitchingProtocols {
			t.Fatal(status)
		}
		first = conn
	}
	if _, status := c.dial(path); status != http.StatusTooManyRequests {
		t.Errorf("one socket too many: %d", status)
	}
	got := c.call(http.MethodGet, "/api/v1/conversations/"+id+"/events", "")
	got.check(t, want{status: http.StatusTooManyRequests, has: []string{"Too many open"}, hasNot: []string{"please do"}})
	whole := c.call(http.MethodGet, "/api/v1/conversations/"+id+"/events?follow=false", "")
	whole.check(t, want{status: http.StatusOK, has: []string{"please do"}})
	other := s.client(ben)
	if _, status := other.dial("/ws/conversations/" + other.conversation()); status != http.StatusSwitchingProtocols {
		t.Errorf("another account's socket: %d", status)
	}
	s.ok(first.Close())
	agenttest.Eventually(t, "a place for one more socket", func() bool {
		_, status := c.dial(path)
		return status == http.StatusSwitchingProtocols
	})
}
