package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"fusebox/cmd/fusebox/docstest"
)

// dialogue is a row of docs/demo.md: what to say in both languages, and what
// the event log has then.
type dialogue struct {
	english, chinese string
	sees             []string
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

func dialogues(t *testing.T) []dialogue {
	t.Helper()
	var all []dialogue
	for _, table := range docstest.Open(t, "docs/demo.md").Tables() {
		if table.Head[0] != "Say" {
			continue
		}
		for _, row := range table.Rows {
			d := dialogue{english: row[0], chinese: row[1]}
			for _, span := range codeSpan.FindAllStringSubmatch(row[2], -1) {
				d.sees = append(d.sees, span[1])
			}
			all = append(all, d)
		}
	}
	return all
}

// TestDialogues plays every row of docs/demo.md in both languages, each as the
// first message of a chat that the form of the empty chat makes.
func TestDialogues(t *testing.T) {
	t.Parallel()
	quick, typing, refused := newPlayer(t, atOnce), newPlayer(t), newPlayer(t, atOnce)
	offered := map[string]bool{}
	for _, d := range dialogues(t) {
		for _, words := range []string{d.english, d.chinese} {
			if offered[words] {
				t.Errorf("%s stands twice", words)
			}
			offered[words] = true
			t.Run(words, func(t *testing.T) {
				t.Parallel()
				p := quick
				switch {
				case slices.Contains(d.sees, "timeout"): // which ends it while the model types
					p = typing
				case slices.Contains(d.sees, "retry"): // who else asks a model that is busy has to wait
					p = refused
				}
				p.t = t
				p.play(words, d.sees)
			})
		}
	}
	for _, prompt := range chips(t, &quick.person) {
		if !offered[prompt] {
			t.Errorf("docs/demo.md does not list the chip %q", prompt)
		}
	}
}

var chipButton = regexp.MustCompile(`name="example" value="([^"]+)"`)

// chips are what the empty chat offers.
func chips(t *testing.T, o *outsider) []string {
	t.Helper()
	page, err := io.ReadAll(o.must(http.StatusOK, "GET", "/", "").Body)
	must(t, err)
	var prompts []string
	for _, found := range chipButton.FindAllStringSubmatch(string(page), -1) {
		prompts = append(prompts, html.UnescapeString(found[1]))
	}
	if len(prompts) < 30 {
		t.Errorf("the empty chat offers %d examples", len(prompts))
	}
	return prompts
}

// TestChipsAreForTheDemoModel: another model's empty chat offers none of its tests.
func TestChipsAreForTheDemoModel(t *testing.T) {
	t.Parallel()
	p := startProgram(t, t.TempDir(), "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "FUSEBOX_MODEL=other")
	person := newOutsider(t, p.url, strings.TrimPrefix(p.url, "http://"), "127.0.0.1")
	person.signIn(adminEmail, adminPassword)
	page, err := io.ReadAll(person.must(http.StatusOK, "GET", "/", "").Body)
	must(t, err)
	if found := chipButton.FindAllStringSubmatch(string(page), -1); len(found) != 3 || strings.Contains(string(page), "test dead loop") {
		t.Errorf("it offers %v", found)
	}
}

// player is a newcomer with one dialogue.
type player struct {
	t      *testing.T
	person outsider
	admin  api
}

// newPlayer is one with a server of their own.
func newPlayer(t *testing.T, env ...string) player {
	t.Helper()
	p := startProgram(t, t.TempDir(), env...)
	person := newOutsider(t, p.url, strings.TrimPrefix(p.url, "http://"), "127.0.0.1")
	person.signIn(adminEmail, adminPassword)
	return player{t, *person, p.admin()}
}

// start says something in a new chat.
func (p player) start(words string) (conversation, run string) {
	p.t.Helper()
	p.person.t, p.admin.t = p.t, p.t
	form := url.Values{"content": {words}, "client_id": {words}}
	res := p.person.must(http.StatusSeeOther, "POST", "/", form.Encode(), "Content-Type", formType)
	conversation = strings.TrimPrefix(res.Header.Get("Location"), "/c/")
	messages := p.admin.must("GET", "/api/v1/conversations/"+conversation+"/messages", "")["items"].([]any)
	return conversation, fmt.Sprint(messages[0].(map[string]any)["runId"])
}

func (p player) play(words string, sees []string) {
	p.t.Helper()
	p.admin.t = p.t
	conversation, run := p.start(words)
	p.admin.restsWithAgents(conversation, run)
	events := p.admin.events(conversation, 0)
	log, err := json.Marshal(events)
	if err != nil {
		p.t.Fatal(err)
	}
	if strings.Contains(string(log), "Recovered after a restart") {
		p.t.Errorf("nobody has restarted the server: %s", log)
	}
	for _, want := range sees {
		if !strings.Contains(string(log), `"`+want+`"`) {
			p.t.Errorf("the log lacks %q: %s", want, log)
		}
	}
	p.answers(words, events)
}

// answers checks that what the model says is in the language of the request,
// and not that it did not understand.
func (p player) answers(words string, events []map[string]any) {
	p.t.Helper()
	for _, e := range ofType(events, "message") {
		m := e["message"].(map[string]any)
		text, _ := m["content"].(string)
		if m["role"] != "assistant" || text == "" {
			continue
		}
		if strings.Contains(text, "know little about that") || strings.Contains(text, "所知不多") {
			p.t.Errorf("not understood: %s", text)
		}
		if isChinese(factLines.ReplaceAllString(text, "")) != isChinese(words) {
			p.t.Errorf("answered in the other language: %s", text)
		}
	}
}

// factLines are the lines of an answer that say what people have had remembered, in
// whichever language.
var factLines = regexp.MustCompile(`(?m)^- .*$`)

// isChinese knows a Chinese text by its characters, or its full stops.
func isChinese(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c == '。' || unicode.Is(unicode.Han, c) })
}

// TestDialoguesEnd plays the endings of docs/demo.md that come from a decision.
func TestDialoguesEnd(t *testing.T) {
	t.Parallel()
	all := newPlayer(t, atOnce)
	for _, row := range []struct{ words, decision, reason string }{
		{"test dead loop", `{"decision":"resume"}`, "loop"},
		{"Look up the weather in Hong Kong and don't stop until you have it", `{"decision":"resume"}`, "loop"},
		{"查询香港的天气,不查出来不能停", `{"decision":"resume"}`, "loop"},
		{"test errors", `{"decision":"reject"}`, "consecutive_errors"},
		{"test chanting", `{"decision":"reject"}`, "rejected"},
		{"test budget", `{"decision":"reject"}`, "token_budget"},
		{"test cycle", `{"decision":"abort"}`, "user_abort"},
		{"test takeover", `{"decision":"takeover","answer":"It is done."}`, "goal"},
		{"test polling", `{"decision":"resume","answer":"as_polling"}`, "goal"},
		{"test choose", `{"decision":"answer","answer":"A table"}`, "goal"},
		{"test draft", `{"decision":"answer","answer":"Dear Ms. Wong,\n\nthe door is ready.\n"}`, "goal"},
	} {
		t.Run(row.words, func(t *testing.T) {
			t.Parallel()
			p := all
			p.t = t
			_, run := p.start(row.words)
			admin := p.admin
			admin.t = t
			card := admin.rests(run)["pendingApprovalIds"].([]any)[0].(string)
			admin.must("POST", "/api/v1/approvals/"+card+"/decision", row.decision)
			if got := admin.rests(run)["stopReason"]; got != row.reason {
				t.Errorf("it ended by %v, want %s", got, row.reason)
			}
		})
	}
}
