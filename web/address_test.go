package web_test

import (
	"bufio"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

// TestQuietLogIsAlive: proxies cut what is silent, so an empty line comes every ten
// seconds while nothing happens.
func TestQuietLogIsAlive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("ana@example.org", agent.RoleUser))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/conversations/"+c.conversation()+"/events", http.NoBody)
	s.ok(err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	res, err := http.DefaultClient.Do(req)
	s.ok(err)
	defer func() { _ = res.Body.Close() }()
	lines := bufio.NewReader(res.Body)
	for range 3 {
		s.clock.Outwait(t, 10*time.Second)
		if line, err := lines.ReadString('\n'); err != nil || line != "\n" {
			t.Fatalf("%q, %v", line, err)
		}
	}
}

// TestOriginFollowsTheAddress: a proxy may ask under another host name than people do.
// The origin of the page is that of server.url, with its scheme.
func TestOriginFollowsTheAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.URL, o.Hosts = "https://box.example.org", []string{"box.example.org"} })
	ana := s.as(s.user("ana@example.org", agent.RoleReviewer))
	for origin, status := range map[string]int{
		"https://box.example.org":      101,
		"http://box.example.org":       403,
		"https://box.example.org:8443": 403,
		"https://evil.example":         403,
		s.url:                          101, // on the machine itself
	} {
		conn, got := client{s: s}.dial("/ws/inbox", "Cookie", ana.cookies(), "Origin", origin)
		if got != status {
			t.Errorf("%s: %d, want %d", origin, got, status)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
	if got := ana.get("/"); got.header.Get("Strict-Transport-Security") == "" {
		t.Error("https is not insisted on")
	}
	if got := newSite(t).browser().get("/login"); got.header.Get("Strict-Transport-Security") != "" {
		t.Error("https is insisted on without https")
	}
}

// leads finds what leads somewhere on a page: attributes with a path from the root.
var leads = regexp.MustCompile(`\s([a-z-]+)="(/[^"]*)"`)

// notLeading are attributes whose paths are read by the server, which knows its own.
var notLeading = map[string]bool{"value": true, "placeholder": true, "d": true}

// TestSubPath: below the path of server.url every page is there, every link, form, file,
// socket, redirect and cookie leads below it, and none leads beside it.
func TestSubPath(t *testing.T) {
	t.Parallel()
	const path = "/tools/fusebox"
	s := newSite(t, func(o *web.Options) { o.URL = "http://box.example.org" + path })
	root := s.url
	s.url += path
	admin := s.user("admin@example.org", agent.RoleAdmin)
	card := s.paused(admin, "a chat", shellCard(agent.RiskHigh, "ls"))
	stranger := s.browser()
	if got := stranger.get("/c/" + card.ConversationID); got.header.Get("Location") != path+"/login?next="+url.QueryEscape("/c/"+card.ConversationID) {
		t.Errorf("a stranger is sent to %s", got.header.Get("Location"))
	}
	if got := s.ask("GET", "", ""); got.status != 308 || got.header.Get("Location") != path+"/" {
		t.Errorf("without the slash: %d to %s", got.status, got.header.Get("Location"))
	}
	b := s.browser()
	for _, cookie := range b.get("/login").header.Values("Set-Cookie") {
		if !strings.Contains(cookie, "Path="+path+"/") {
			t.Errorf("cookie %s", cookie)
		}
	}
	signedIn := b.post("/login", url.Values{"email": {admin.Email}, "password": {goodPassword}, "next": {"/c/" + card.ConversationID}})
	if got := signedIn.header.Get("Location"); signedIn.status != 303 || got != path+"/c/"+card.ConversationID {
		t.Errorf("sign-in: %d to %s", signedIn.status, got)
	}
	for _, cookie := range append(signedIn.header.Values("Set-Cookie"), b.post("/settings/appearance", url.Values{"theme": {"dark"}}).header.Values("Set-Cookie")...) {
		if !strings.Contains(cookie, "Path="+path+"/") {
			t.Errorf("cookie %s", cookie)
		}
	}
	link := s.newID()
	s.ok(s.db.CreateReset(t.Context(), admin.ID, service.TokenHash(link), s.clock.Now().Add(time.Hour)))
	ids := map[string]string{"conversation": card.ConversationID, "run": card.RunID, "approval": card.ID, "user": admin.ID, "reset link": link, "passage": s.passage(admin, "words")}
	shown, _, err := s.db.Documents(t.Context(), agent.DocumentFilter{UserID: admin.ID, In: agent.Everything()}, agent.Page{})
	s.ok(err)
	ids["document"], ids["collection"] = shown[0].ID, s.newID()
	s.ok(s.db.CreateCollection(t.Context(), agent.Collection{ID: ids["collection"], OwnerID: admin.ID, Name: "House", Visibility: agent.VisiblePrivate, Access: agent.RightRead}))
	_, err = s.db.CreateAgent(t.Context(), admin.Viewer(), agent.Agent{Name: "scout", Purpose: "Looks.", Instructions: "Look."})
	s.ok(err)
	_, err = s.db.CreateWorkflow(t.Context(), admin.Viewer(), agent.Workflow{Name: "scout", Purpose: "Looks.", Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "scout", Task: "Look."}}})
	s.ok(err)
	for _, d := range web.Doors() {
		if d.Method != http.MethodGet || d.Access == "programs" || strings.HasPrefix(d.Path, "/api/") || strings.HasPrefix(d.Path, "/ws/") || strings.Contains(d.Path, "*") {
			continue
		}
		door := strings.NewReplacer(":id", ids[d.Owns], ":run", card.RunID, ":message", s.said(&agent.Run{ConversationID: card.ConversationID}), ":name", "scout", "/output", "/output?call=long").Replace(d.Path)
		got := b.get(door)
		if got.status != 200 && got.status != 303 && !strings.HasPrefix(door, "/debug/") && !strings.HasSuffix(door, "/raw") {
			t.Errorf("%s: %d", door, got.status)
		}
		if to := got.header.Get("Location"); to != "" && !strings.HasPrefix(to, path+"/") {
			t.Errorf("%s leads beside the site: %s", door, to)
		}
		for _, m := range leads.FindAllStringSubmatch(got.body, -1) {
			if !notLeading[m[1]] && !strings.HasPrefix(m[2], path+"/") {
				t.Errorf("%s: %s=%q leads beside the site", door, m[1], m[2])
			}
		}
		if door == "/" {
			style := regexp.MustCompile(`href="` + path + `(/static/[^"]+\.css)"`).FindStringSubmatch(got.body)
			if style == nil || b.get(style[1]).status != 200 {
				t.Errorf("no style sheet: %v", style)
			} else if h := b.get(style[1]).header; h.Get("Content-Security-Policy") != "default-src 'none'" || h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("a style sheet has the headers of a page: %v", h)
			}
		}
	}
	conn, status := s.client(admin).dial("/ws/inbox?format=html&approval=" + card.ID)
	if status != 101 {
		t.Fatalf("the socket: %d", status)
	}
	fragments := strings.ReplaceAll(read(t, conn, 1)[0], `\"`, `"`)
	found := leads.FindAllStringSubmatch(fragments, -1)
	for _, m := range found {
		if !notLeading[m[1]] && !strings.HasPrefix(m[2], path+"/") {
			t.Errorf("the socket sends %s=%q", m[1], m[2])
		}
	}
	if len(found) == 0 {
		t.Errorf("the socket sends no links: %s", fragments)
	}
	if got := b.get("/api/openapi.json"); !strings.Contains(got.body, `"servers": [{"url": "`+path+`"}]`) {
		t.Error("the description of the API is of another address")
	}
	s.url = root
	if got := s.ask("GET", "/healthz", ""); got.status != 200 {
		t.Errorf("beside the proxy: %d", got.status)
	}
	if got := s.ask("GET", path+"beside/login", ""); got.status != 404 {
		t.Errorf("a path that only begins alike: %d", got.status)
	}
}
