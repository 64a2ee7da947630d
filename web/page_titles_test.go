package web_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

var (
	titleTag = regexp.MustCompile(`<title>(.*?)</title>`)
	headTag  = regexp.MustCompile(`<h1[^>]*>\s*([^<]*)`)
)

// TestEveryPageSaysWhatItIs walks the pages of the route table in both languages: no two
// have the same title, and each title has what the page's own heading says.
func TestEveryPageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	card := s.paused(admin, "Tidy up", shellCard(agent.RiskHigh, "ls"))
	s.ok(s.db.CreateReset(t.Context(), admin.ID, service.TokenHash("reset"), s.clock.Now().Add(time.Hour)))
	ids := map[string]string{"conversation": card.ConversationID, "run": card.RunID, "approval": card.ID, "user": admin.ID, "reset link": "reset"}
	signedIn, anonymous := s.as(admin), s.browser()
	for _, language := range []string{"en", "zh"} {
		titled := map[string]string{}
		for _, d := range web.Doors() {
			b, path := signedIn, strings.Replace(d.Path, ":id", ids[d.Owns], 1)
			if d.Access == "public" {
				b = anonymous
			}
			if d.Method != http.MethodGet || strings.HasPrefix(path, "/debug/") || strings.HasPrefix(path, "/api/") {
				continue
			}
			got := b.get(path + "?lang=" + language)
			title := plain(titleTag, got.body)
			if got.status != http.StatusOK || title == "" { // a way to another page, or a file
				continue
			}
			if other, taken := titled[title]; taken {
				t.Errorf("%s and %s are both titled %q", other, path, title)
			}
			titled[title] = path
			if head := plain(headTag, got.body); d.Path != "/" && !strings.Contains(title, head) { // a new chat begins with a question
				t.Errorf("%s is titled %q and headed %q", path, title, head)
			}
		}
		if len(titled) < 30 {
			t.Errorf("%s: only %d pages were found", language, len(titled))
		}
	}
}

// plain is the text that such an element begins with.
func plain(tag *regexp.Regexp, body string) string {
	found := tag.FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(strings.Join(strings.Fields(found[1]), " "))
}
