package web_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

// client is a program with an API token.
type client struct {
	s     *site
	token string
}

func (s *site) client(u agent.User) client {
	s.t.Helper()
	token, hash := service.NewToken()
	s.ok(s.db.CreateToken(s.t.Context(), agent.Token{ID: s.newID(), UserID: u.ID, Name: "test", Scopes: agent.AllTokenScopes(), CreatedAt: s.clock.Now()}, hash))
	return client{s, token}
}

func (c client) call(method, path, body string, header ...string) answer {
	c.s.t.Helper()
	req, err := http.NewRequestWithContext(c.s.t.Context(), method, c.s.url+path, strings.NewReader(body))
	c.s.ok(err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return (&browser{s: c.s, client: checked.Client()}).do(req)
}

func (c client) conversation() string {
	c.s.t.Helper()
	got := c.call(http.MethodPost, "/api/v1/conversations", `{"title":"mine"}`)
	var v struct{ ID string }
	c.s.ok(json.Unmarshal([]byte(got.body), &v))
	return v.ID
}

// TestDescriptionIsComplete: every call of the API is described, with the scope that a
// token needs, and nothing else.
func TestDescriptionIsComplete(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	type call struct {
		Security []map[string][]agent.TokenScope
	}
	var doc struct {
		Paths map[string]map[string]call
	}
	s.ok(json.Unmarshal([]byte(s.browser().get("/api/openapi.json").body), &doc))
	// What a token needs, by call.
	described, served := map[string]agent.TokenScope{}, map[string]agent.TokenScope{}
	for path, methods := range doc.Paths {
		for m, c := range methods {
			described[strings.ToUpper(m)+" "+path] = ""
			for _, way := range c.Security {
				for _, scope := range way["token"] {
					described[strings.ToUpper(m)+" "+path] = scope
				}
			}
		}
	}
	param := regexp.MustCompile(`:(\w+)`)
	for _, d := range web.Doors() {
		if strings.HasPrefix(d.Path, "/api/") {
			served[d.Method+" "+param.ReplaceAllString(strings.Replace(d.Path, "*", "{path}", 1), "{$1}")] = d.Scope
		}
	}
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("served and described calls differ:\n%s", diff)
	}
}

// TestBadInput: each gets its status, a problem document that says what to do,
// and nothing of the inside.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("first@example.org", agent.RoleAdmin)
	ana, ben := s.user("ana@example.org", agent.RoleUser), s.user("ben@example.org", agent.RoleUser)
	c, other := s.client(ana), s.client(ben)
	mine, theirs := c.conversation(), other.conversation()
	busy := s.started(ana, "busy")
	messages := func(id string) string { return "/api/v1/conversations/" + id + "/messages" }
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		has                      []string
	}{
		{"unknown route", "GET", "/api/v1/nothing", "", 404, []string{"nothing at this address"}},
		{"wrong method", "PUT", "/api/v1/conversations", "{}", 405, []string{"method"}},
		{"broken JSON", "POST", messages(mine), `{"content":`, 400, []string{"no valid JSON", "byte"}},
		{"wrong type", "POST", messages(mine), `{"content":7}`, 400, []string{`"field":"content"`, "text"}},
		{"no message", "POST", messages(mine), `{"content":"  "}`, 422, []string{`"field":"content"`, "write a message"}},
		{"a message over 256 KiB", "POST", messages(mine), `{"content":"` + strings.Repeat("x", 256<<10+1) + `"}`, 422, []string{`"field":"content"`, "262144"}},
		{"a body over all bounds", "POST", messages(mine), `{"content":"` + strings.Repeat("x", 3<<20) + `"}`, 413, []string{"too large"}},
		{"a cursor that is none", "GET", "/api/v1/conversations?cursor=nonsense", "", 400, []string{`"field":"cursor"`}},
		{"a limit that is none", "GET", "/api/v1/conversations?limit=many", "", 400, []string{`"field":"limit"`, "1 to 200"}},
		{"a seq that is none", "GET", "/api/v1/conversations/" + mine + "/events?after=x&follow=false", "", 400, []string{`"field":"after"`}},
		{"an unknown conversation", "POST", messages("nope"), `{"content":"hi"}`, 404, []string{"This conversation doesn't exist or isn't yours."}},
		{"another's conversation", "POST", messages(theirs), `{"content":"hi"}`, 404, []string{"This conversation doesn't exist or isn't yours."}},
		{"another's events", "GET", "/api/v1/conversations/" + theirs + "/events?follow=false", "", 404, nil},
		{"a second message", "POST", messages(busy.ConversationID), `{"content":"hi"}`, 409, []string{"still active"}},
		{"a parent elsewhere", "POST", messages(mine), `{"content":"hi","parentId":"x"}`, 422, []string{`"field":"parentId"`}},
		{"an unknown mode", "POST", "/api/v1/conversations", `{"approvalMode":"wild"}`, 422, []string{`"field":"approvalMode"`, "auto_edit"}},
		{"yolo for a user", "POST", "/api/v1/conversations", `{"approvalMode":"yolo"}`, 422, []string{"admins only"}},
		{"an unknown model", "POST", "/api/v1/conversations", `{"model":"gpt-99"}`, 422, []string{`"field":"model"`, "demo"}},
		{"an unknown group", "GET", "/api/v1/spend?group=moon", "", 400, []string{`"field":"group"`, "conversation"}},
		{"a day that is none", "GET", "/api/v1/spend?from=yesterday", "", 400, []string{`"field":"from"`}},
		{"an unknown approval", "POST", "/api/v1/approvals/nope/decision", `{"decision":"approve"}`, 404, []string{"no such approval"}},
	} {
		got := c.call(tc.method, tc.path, tc.body)
		if got.status != tc.status || got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s, want %d\n%s", tc.name, got.status, got.header.Get("Content-Type"), tc.status, got.body)
		}
		for _, text := range tc.has {
			if !strings.Contains(got.body, text) {
				t.Errorf("%s: lacks %q: %s", tc.name, text, got.body)
			}
		}
		for _, inside := range []string{"sql", "panic", ".go:", "UNIQUE", theirs} {
			if inside != "" && strings.Contains(got.body, inside) && tc.path != messages(inside) {
				t.Errorf("%s: shows %q: %s", tc.name, inside, got.body)
			}
		}
	}
	if got := c.call("POST", messages(mine), "content=hi", "Content-Type", "text/plain"); got.status != 415 {
		t.Errorf("a body that is no JSON: %d", got.status)
	}
}

// TestSameClientIDStartsNothing: a message that is sent again is the same run.
func TestSameClientIDStartsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("ana@example.org", agent.RoleUser))
	path := "/api/v1/conversations/" + c.conversation() + "/messages"
	first := c.call("POST", path, `{"content":"hi","clientId":"k1"}`)
	again := c.call("POST", path, `{"content":"hi","clientId":"k1"}`)
	if first.status != 202 || again.status != 202 || first.body != again.body {
		t.Errorf("first %d %s, again %d %s", first.status, first.body, again.status, again.body)
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rex := s.user("ana@example.org", agent.RoleUser), s.user("rex@example.org", agent.RoleReviewer)
	card := s.paused(ana, "a", shellCard(agent.RiskHigh, "ls"))
	path := "/api/v1/approvals/" + card.ID + "/decision"
	owner, reviewer := s.client(ana), s.client(rex)
	for _, tc := range []struct {
		name   string
		by     client
		body   string
		status int
		has    string
	}{
		{"its owner may see it, not decide it", owner, `{"decision":"approve"}`, 403, "reviewer"},
		{"other arguments than shown", reviewer, `{"decision":"approve","argsHash":"x"}`, 409, `"approval":{`},
		{"an older generation than stands", reviewer, `{"decision":"approve","generation":7}`, 409, "changed"},
		{"a decision that does not fit", reviewer, `{"decision":"resume"}`, 422, "approve, edit, reject, takeover, abort"},
		{"dangerous, and no word of which generation", reviewer, `{"decision":"approve","argsHash":"hash-of-args"}`, 422, `"field":"generation"`},
		{"dangerous, and no word of which arguments", reviewer, `{"decision":"approve","generation":1}`, 422, `"field":"argsHash"`},
		{"arguments of an approval that edits nothing", reviewer, `{"decision":"approve","generation":1,"argsHash":"hash-of-args","args":{"command":"ls -l"}}`, 422, `"field":"args"`},
		{"edited arguments that break the schema", reviewer, `{"decision":"edit","generation":1,"argsHash":"hash-of-args","args":{"command":7}}`, 422, `"field":"args.command"`},
		{"in somebody else's name", reviewer, `{"decision":"reject","decidedBy":"ana@example.org"}`, 400, `"field":"decidedBy"`},
		{"it stays pending until then", reviewer, `{"decision":"reject","comment":"no"}`, 200, `"decidedBy":"rex@example.org"`},
		{"the second one learns what stands", reviewer, `{"decision":"approve"}`, 409, `"decision":"reject"`},
	} {
		if got := tc.by.call("POST", path, tc.body); got.status != tc.status || !strings.Contains(got.body, tc.has) {
			t.Errorf("%s: %d %s, want %d with %q", tc.name, got.status, got.body, tc.status, tc.has)
		}
	}
}

func TestSpendAsCSV(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, ana := s.user("admin@example.org", agent.RoleAdmin), s.user("ana@example.org", agent.RoleUser)
	s.finished(ana, "a")
	s.finished(admin, "b")
	got := s.client(admin).call("GET", "/api/v1/spend?group=user", "", "Accept", "text/csv")
	rows := strings.Split(strings.TrimSpace(got.body), "\n")
	if len(rows) != 3 || rows[0] != "key,runs,inputTokens,cachedTokens,outputTokens,costMicros,reasoningTokens,lines,unpriced,estimated" || !strings.Contains(got.body, "ana@example.org,1,4000,1000,500,5000") {
		t.Errorf("CSV: %s", got.body)
	}
	own := s.client(ana).call("GET", "/api/v1/spend?group=user", "")
	if strings.Contains(own.body, "admin@") || !strings.Contains(own.body, `"costMicros":5000`) {
		t.Errorf("a user sees %s", own.body)
	}
}

// TestCrossSite: what changes something needs the page's token or the
// browser's own word; a bearer token needs neither.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	u := s.user("ana@example.org", agent.RoleUser)
	b := s.as(u)
	send := func(header ...string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/v1/conversations", strings.NewReader("{}"))
		s.ok(err)
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		return b.do(req).status
	}
	for _, tc := range []struct {
		name   string
		status int
		header []string
	}{
		{"nothing", 403, nil},
		{"a foreign page", 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"a wrong token", 403, []string{"X-CSRF-Token", "x"}},
		{"the token", 201, []string{"X-CSRF-Token", b.csrf}},
		{"the browser's word", 201, []string{"Sec-Fetch-Site", "same-origin"}},
		{"a wrong bearer is not made up for by the session", 401, []string{"Authorization", "Bearer fbx_nonsense"}},
	} {
		if got := send(tc.header...); got != tc.status {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.status)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/login", nil)
	s.ok(err)
	req.Host = "evil.example"
	if got := s.browser().do(req); got.status != 403 {
		t.Errorf("a foreign host name: %d", got.status)
	}
}

// TestEventsFromAnyPoint: the log from any after is the tail of the whole log.
func TestEventsFromAnyPoint(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.finished(ana, "a")
	c := s.client(ana)
	read := func(after int) []string {
		got := c.call("GET", fmt.Sprintf("/api/v1/conversations/%s/events?follow=false&after=%d", run.ConversationID, after), "")
		if got.status != 200 || got.header.Get("Content-Type") != "application/x-ndjson" {
			t.Fatalf("%d %s", got.status, got.body)
		}
		var lines []string
		for sc := bufio.NewScanner(strings.NewReader(got.body)); sc.Scan(); {
			lines = append(lines, sc.Text())
		}
		return lines
	}
	all := read(0)
	for after := range all {
		if diff := cmp.Diff(all[after:], read(after)); diff != "" {
			t.Errorf("after %d: %s", after, diff)
		}
	}
}
