package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// TestFeedback: the owner of a chat rates its answers, on the page and by the API; admins see it
// with the run, newest first; it goes with the chat.
func TestFeedback(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	root, ana := s.user("root@example.org", agent.RoleAdmin), s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "pumps")
	first := s.answered(run, "The <pump> is worn.")
	second := s.answered(run, "So is the valve.")
	chat, page, c, admin := "/c/"+run.ConversationID, s.as(ana), s.client(ana), s.client(root)
	rate := chat + "/messages/" + first.ID + "/feedback"
	page.get(chat).check(t, want{status: 200, has: []string{`action="` + rate + `"`, `aria-label="Good answer"`, `data-copy-as="markdown"`}, hasNot: []string{`aria-pressed="true"`}})
	page.post(rate, form("rating", "down", "reason", " It is <new>. ")).check(t, want{status: http.StatusSeeOther, location: chat + "?message=" + first.ID + "#m-" + first.ID})
	page.get(chat).check(t, want{status: 200, has: []string{`data-thumb="down" aria-pressed="true"`, "It is &lt;new&gt;.</textarea>"}})

	api := "/api/v1/messages/" + second.ID + "/feedback"
	s.clock.Advance(time.Minute)
	c.call(http.MethodPut, api, `{"rating":"down","reason":"Too short."}`).check(t, want{status: http.StatusNoContent})
	c.call(http.MethodPut, api, `{"rating":"up"}`).check(t, want{status: http.StatusNoContent})
	for body, field := range map[string]string{
		`{"rating":"fine"}`: "rating", `{}`: "rating", `{"rating":"up","reason":"` + strings.Repeat("x", 2001) + `"}`: "reason",
	} {
		c.call(http.MethodPut, api, body).check(t, want{status: 422, has: []string{`"field":"` + field + `"`}})
	}
	question := s.said(run)
	c.call(http.MethodPut, "/api/v1/messages/"+question+"/feedback", `{"rating":"up"}`).check(t, want{status: 422, has: []string{"Only answers can be rated."}})

	var got struct {
		Items      []agent.GivenFeedback
		NextCursor string
	}
	list := admin.call(http.MethodGet, "/api/v1/feedback?limit=1", "")
	s.ok(json.Unmarshal([]byte(list.body), &got))
	row := agent.GivenFeedback{
		Feedback:       agent.Feedback{MessageID: second.ID, Rating: agent.RatedUp, At: s.clock.Now().Truncate(time.Millisecond)},
		ConversationID: run.ConversationID, RunID: run.ID, User: "ana@example.org", Model: "demo", Answer: "So is the valve.",
	}
	if d := cmp.Diff([]agent.GivenFeedback{row}, got.Items, cmp.Comparer(time.Time.Equal)); d != "" {
		t.Error(d)
	}
	admin.call(http.MethodGet, "/api/v1/feedback?cursor="+got.NextCursor, "").check(t, want{status: 200, has: []string{first.ID, `"reason":"It is \u003cnew\u003e."`}, hasNot: []string{second.ID, "nextCursor"}})
	c.call(http.MethodGet, "/api/v1/feedback", "").check(t, want{status: 403})
	b := s.as(root)
	b.get("/admin/feedback").check(t, want{status: 200, has: []string{
		"The &lt;pump&gt; is worn.", "It is &lt;new&gt;.", "ana@example.org", `href="/runs/` + run.ID + `"`, `href="` + chat + "?message=" + first.ID + "#m-" + first.ID + `"`,
	}})

	admin.call(http.MethodPut, api, `{"rating":"down"}`).check(t, want{status: 403})
	eve := s.client(s.user("eve@example.org", agent.RoleUser))
	eve.call(http.MethodPut, api, `{"rating":"down"}`).check(t, want{status: 404})
	eve.call(http.MethodDelete, api, "").check(t, want{status: 404})
	page.post(rate, form("rating", "")).check(t, want{status: http.StatusSeeOther, location: chat + "?message=" + first.ID + "#m-" + first.ID})
	b.get("/admin/feedback").check(t, want{status: 200, hasNot: []string{"&lt;pump&gt;"}})
	s.stops(run)
	c.call(http.MethodDelete, "/api/v1/conversations/"+run.ConversationID, "").check(t, want{status: http.StatusNoContent})
	b.get("/admin/feedback").check(t, want{status: 200, has: []string{"No feedback yet"}})
}

// said is the message that a run answers.
func (s *site) said(run *agent.Run) string {
	s.t.Helper()
	events, err := s.db.Events(s.t.Context(), run.ConversationID, 0, 1)
	s.ok(err)
	return events[0].Data.(agent.MessageEvent).Message.ID
}

// stops ends a run.
func (s *site) stops(run *agent.Run) {
	run.Status, run.StopReason, run.EndedAt = agent.StatusFinished, agent.StopGoal, s.clock.Now()
	s.append(run, agent.Change{Run: run, Events: []agent.Event{{Data: agent.Finish{Status: run.Status, StopReason: run.StopReason, Model: "demo"}}}})
}

// TestCopy: a message is copied as it is stored, as text, and as HTML without the page; what is
// being written, as far as it has come.
func TestCopy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	root, ana := s.user("root@example.org", agent.RoleAdmin), s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "<pumps>\nnow")
	content := "Hard  \nbreak\n\n- one\n  - two\n\n| a\\|b | =1 |\n|---|---|\n| x | 中文**粗** |\n\n```go\n\tx := \"<b>\"\n```\n[1](https://evil.example/) end "
	m := s.answered(run, content)
	at, b := "/c/"+run.ConversationID+"/messages/", s.as(ana)
	for as, body := range map[string]string{
		"":         content,
		"markdown": content,
		"text":     "Hard\nbreak\n\n- one\n  - two\n\na|b\t=1\nx\t中文粗\n\n\tx := \"<b>\"\n\n1 (https://evil.example/) end",
	} {
		got := b.get(at + m.ID + "/copy?as=" + as)
		if d := cmp.Diff(body, got.body); d != "" {
			t.Errorf("%q: %s", as, d)
		}
		if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
			t.Error(kind)
		}
	}
	b.get(at+m.ID+"/copy?as=html").check(t, want{
		status: 200, has: []string{"<li>one", "<td>x</td>", "<strong>粗</strong>", "<pre><code>\tx := &#34;&lt;b&gt;&#34;"},
		hasNot: []string{"class", "style", "<span", "<button", "Copy", "href", ">go<"},
	})
	b.get(at+s.said(run)+"/copy?as=html").check(t, want{status: 200, has: []string{"<p>please do &lt;pumps&gt;<br>now</p>"}})
	b.get(at+m.ID+"/copy?as=pdf").check(t, want{status: 400})
	b.get(at+"none/copy").check(t, want{status: 404})
	s.as(root).get(at+m.ID+"/copy").check(t, want{status: 200})
	s.as(s.user("eve@example.org", agent.RoleUser)).get(at+m.ID+"/copy").check(t, want{status: 404})

	s.append(run, agent.Change{Run: run, Events: []agent.Event{{Data: agent.StepStart{MessageID: "w"}}}})
	b.get(at+"w/copy").check(t, want{status: 200})
	for _, d := range []agent.EventData{agent.TextDelta{ID: "w", Delta: "void"}, agent.MessageReset{ID: "w"}, agent.TextDelta{ID: "w", Delta: "**half** a"}, agent.TextDelta{ID: "w", Delta: " sent"}} {
		s.append(run, agent.Change{Run: run, Events: []agent.Event{{Data: d}}})
	}
	for as, body := range map[string]string{"markdown": "**half** a sent", "text": "half a sent", "html": "<p><strong>half</strong> a sent</p>"} {
		if got := b.get(at + "w/copy?as=" + as); got.body != body {
			t.Errorf("%s: %q", as, got.body)
		}
	}
}

// TestFind: words are found in all messages of a chat, as they are read.
func TestFind(t *testing.T) {
	t.Parallel()
	s, ana := longChat(t, 90)
	c, path := s.client(ana), "/api/v1/conversations/conversation-0/find?q="
	found := func(q string) (got struct {
		Items []struct{ MessageID, Role, Snippet string }
		Total int
	}) {
		t.Helper()
		s.ok(json.Unmarshal([]byte(c.call(http.MethodGet, path+q, "").body), &got))
		return got
	}
	if got := found("TURN%207"); got.Total != 22 || got.Items[0].MessageID != "m000000007a" || got.Items[0].Role != "user" || !strings.Contains(got.Items[0].Snippet, "turn 7") {
		t.Errorf("%+v", got)
	}
	run := s.started(ana, "other")
	path = "/api/v1/conversations/" + run.ConversationID + "/find?q="
	long := strings.Repeat("言", 100)
	for i, content := range []string{"**Bold** and `code` here", long + "水泵的閥門" + long, "no", "2*3 is 6"} {
		s.answered(run, fmt.Sprint(i)+content)
	}
	for q, snippets := range map[string][]string{
		"bold%20AND%20code": {"0Bold and code here"}, "%E9%98%80%E9%97%A8": {"…" + strings.Repeat("言", 57) + "水泵的閥門" + strings.Repeat("言", 60) + "…"},
		"2*3": {"32*3 is 6"}, "nothing": {}, "please": {"please do other"},
	} {
		got := []string{}
		for _, item := range found(q).Items {
			got = append(got, item.Snippet)
		}
		if d := cmp.Diff(snippets, got); d != "" {
			t.Errorf("%s: %s", q, d)
		}
	}
	c.call(http.MethodGet, path+"%20", "").check(t, want{status: 400, has: []string{`"field":"q"`}})
	c.call(http.MethodGet, path+strings.Repeat("x", 201), "").check(t, want{status: 400, has: []string{`"field":"q"`}})
	s.client(s.user("eve@example.org", agent.RoleUser)).call(http.MethodGet, path+"bold", "").check(t, want{status: 404})
}
