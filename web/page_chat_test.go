package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// chatOf starts a chat by its form and returns where it leads.
func chatOf(t *testing.T, b *browser, text string) (path string) {
	t.Helper()
	b.get("/")
	got := b.post("/", url.Values{"content": {text}, "mode": {"auto_edit"}, "client_id": {"c-1"}})
	path = got.header.Get("Location")
	if got.status != http.StatusSeeOther || !strings.HasPrefix(path, "/c/") {
		t.Fatalf("status %d to %q\n%s", got.status, path, got.body)
	}
	return path
}

// knows has some tools by name.
type knows struct {
	oneTool
	names []string
}

func (k knows) Lookup(name string) (agent.ToolSpec, bool) {
	return agent.ToolSpec{Name: name}, slices.Contains(k.names, name)
}

// TestHome: an empty chat offers a few things to begin with, says who answers, and leads admins
// to where a model is connected. The tests of the demo model are folded.
func TestHome(t *testing.T) {
	t.Parallel()
	home := func(b *browser) (offered, folded string) {
		offered, folded, _ = strings.Cut(b.get("/").body, `<details class="all-examples"`)
		return offered, folded
	}
	demo := newSite(t)
	for role, links := range map[agent.Role]int{agent.RoleAdmin: 1, agent.RoleUser: 0} {
		offered, folded := home(demo.as(demo.user(string(role)+"@example.com", role)))
		if n, all := strings.Count(offered, `name="example"`), strings.Count(folded, `name="example"`); n != 4 || all < 40 {
			t.Errorf("%s: %d examples, and %d folded", role, n, all)
		}
		if n := strings.Count(offered, "Connect your own"); n != links || !strings.Contains(offered, "The demo model answers") {
			t.Errorf("%s: %d links to connect a model\n%s", role, n, offered)
		}
	}
	real := newSite(t, func(o *web.Options) {
		o.Outlet, o.Tools = &heldOutlet{}, knows{names: []string{"web_search", "write_file"}}
	})
	offered, folded := home(real.as(real.user("ana@example.com", agent.RoleAdmin)))
	if n := strings.Count(offered, `name="example"`); n != 2 || folded != "" || strings.Contains(offered, "demo model") ||
		!strings.Contains(offered, "Cite your sources") || !strings.Contains(offered, "checklist.md") {
		t.Errorf("%d examples for a real model\n%s", n, offered)
	}
}

func TestChatByForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.as(s.user("ana@example.com", agent.RoleAdmin))
	bob := s.as(s.user("bob@example.com", agent.RoleUser))

	ana.get("/").check(t, want{status: 200, has: []string{"What should I work on?", "test dead loop", "test approval", "Ask only for critical actions"}})
	bob.get("/").check(t, want{status: 200, hasNot: []string{"Ask only for critical actions", "/admin/spend", `data-stream="/ws/inbox`}})

	path := chatOf(t, bob, "Hello <b>there</b>")
	page := bob.get(path)
	page.check(t, want{
		status: 200,
		has: []string{
			"Hello &lt;b&gt;there&lt;/b&gt;", `data-stream="/ws` + strings.Replace(path, "/c/", "/conversations/", 1) + `?format=html&amp;lang=en"`,
			`data-status="queued"`, "/abort", `<option value="auto_edit" selected`, `data-draft="` + strings.TrimPrefix(path, "/c/"),
		},
		hasNot: []string{"<script>", "<style", "onclick"},
	})

	// A second message while the run is active waits, and can be changed.
	bob.post(path+"/messages", url.Values{"content": {"And <b>more</b>"}, "client_id": {"c-2"}}).check(t, want{status: 303, location: path})
	page = bob.get(path)
	page.check(t, want{status: 200, has: []string{"1 message waits", ">And &lt;b&gt;more&lt;/b&gt;</textarea>", `aria-label="Move up"`}, hasNot: []string{`value="resume"`}})
	queued := regexp.MustCompile(`data-queued="([^"]+)"`).FindStringSubmatch(page.body)[1]
	for _, does := range []string{"up", "down", "edit", "steer", "remove"} {
		bob.post(path+"/queue", url.Values{"do": {does}, "queued": {queued}, "content": {"Even more"}}).check(t, want{status: 303, location: path + "#queue"})
		if does == "steer" {
			bob.get(path).check(t, want{status: 200, has: []string{"Even more", "at its next step"}, hasNot: []string{`value="steer"`}})
		}
	}
	bob.post(path+"/queue", url.Values{"do": {"up"}, "queued": {queued}}).check(t, want{status: 404})
	bob.post(path+"/queue", url.Values{"do": {"resume"}}).check(t, want{status: 303, location: path + "#queue"})
	bob.post(path+"/queue", url.Values{"do": {"nothing"}}).check(t, want{status: 422})
	bob.post(path+"/messages", url.Values{"content": {"  "}}).check(t, want{status: 422, has: []string{"write a message"}})
	// The same client id again is the same message.
	bob.post(path+"/messages", url.Values{"content": {"Hello <b>there</b>"}, "client_id": {"c-1"}}).check(t, want{status: 303, location: path})

	bob.post(path+"/settings", url.Values{"title": {"Greeting"}, "mode": {"default"}}).check(t, want{status: 303, location: path})
	bob.get(path).check(t, want{status: 200, has: []string{`id="chat-name">Greeting</h1>`, `role="status">Saved.`}})
	bob.post(path+"/settings", url.Values{"title": {"x"}, "mode": {"yolo"}}).check(t, want{status: 422, has: []string{"admins only"}})
	bob.post(path+"/settings", url.Values{"title": {" "}, "mode": {"default"}}).check(t, want{status: 422})

	// An admin reads along and writes nothing.
	ana.get(path).check(t, want{status: 200, has: []string{"bob@example.com", "Only they can write here"}, hasNot: []string{`id="composer-text"`}})
	ana.post(path+"/messages", url.Values{"content": {"I was here"}}).check(t, want{status: 403})
	bob.get(path).check(t, want{status: 200, hasNot: []string{"I was here"}})

	bob.post(path+"/delete", nil).check(t, want{status: 409})
	bob.get("/?q=greet").check(t, want{status: 200, has: []string{">Greeting<"}})
	bob.get("/?q=nothing+like+it").check(t, want{status: 200, has: []string{"No titles match"}, hasNot: []string{">Greeting<"}})
}

func TestNewChatKeepsTheTextThatWasNotTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ana@example.com", agent.RoleAdmin))
	b.get("/")
	b.post("/", url.Values{"content": {""}, "mode": {"default"}}).check(t, want{status: 422, has: []string{"write a message"}})
	b.post("/", url.Values{"content": {"Keep <this>"}, "mode": {"nonsense"}}).
		check(t, want{status: 422, has: []string{"Keep &lt;this&gt;</textarea>", "approvalMode"}})
	b.get("/").check(t, want{status: 200, has: []string{"No conversations yet"}})
}

func TestChatShowsFiftyMessagesAndTheEarlierOnes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	u := s.user("ana@example.com", agent.RoleAdmin)
	b := s.as(u)
	path := chatOf(t, b, "message 0.")
	conv := strings.TrimPrefix(path, "/c/")
	var entry agent.Change
	entry.ConversationID = conv
	for i := 1; i < 120; i++ {
		m := agent.Message{ID: s.newID(), Role: agent.FromUser, Content: fmt.Sprintf("message %d.", i), CreatedAt: s.clock.Now()}
		entry.Events = append(entry.Events, agent.Event{Data: agent.MessageEvent{Message: m}})
	}
	_, err := s.db.Append(t.Context(), entry)
	s.ok(err)

	newest := b.get(path)
	newest.check(t, want{status: 200, has: []string{"message 119.", "message 70.", "Show earlier"}, hasNot: []string{"message 69."}})
	older := b.get(earlierLink(t, newest))
	older.check(t, want{status: 200, has: []string{"message 69.", "message 20.", "viewing earlier messages"}, hasNot: []string{"message 70.", "message 19.", "data-stream=\"/ws/conversations"}})
	oldest := b.get(earlierLink(t, older))
	oldest.check(t, want{status: 200, has: []string{"message 19.", "message 0."}, hasNot: []string{"message 20.", "Show earlier"}})
	b.get(path+"?before=x").check(t, want{status: 400})
	b.get(path+"?before=-1").check(t, want{status: 400})
}

func earlierLink(t *testing.T, a answer) string {
	t.Helper()
	_, rest, found := strings.Cut(a.body, `class="earlier"><a class="btn" href="`)
	href, _, _ := strings.Cut(rest, `"`)
	if !found {
		t.Fatal("no link to earlier messages")
	}
	return href
}
