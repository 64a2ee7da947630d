package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/store/storetest"
)

// longChat is a site whose only person owns a chat of so many runs, conversation-0.
func longChat(t *testing.T, runs int) (*site, agent.User) {
	t.Helper()
	s := newSite(t)
	u := s.user("ana@example.com", agent.RoleUser)
	chat := storetest.History{Runs: runs, Conversations: 1, Users: 1, Days: 1, End: time.Now(), Owner: u.Email}
	s.ok(chat.Fill(t.Context(), s.file))
	return s, u
}

var transcriptItem = regexp.MustCompile(`<(?:article|section|div|p)[^>]* id="((?:m-m\d+[abd])|(?:e-\d+))"`)

// TestEarlierPagesHaveNeitherHolesNorDoubles: the pages of a long chat are together
// all of it, each item once and in order.
func TestEarlierPagesHaveNeitherHolesNorDoubles(t *testing.T) {
	t.Parallel()
	const runs = 90
	s, u := longChat(t, runs)
	b := s.as(u)
	var want, got []string
	for i := range runs {
		for _, m := range "abd" {
			want = append(want, fmt.Sprintf("m-m%09d%c", i, m))
		}
		want = append(want, fmt.Sprint("e-", (i+1)*storetest.EventsPerRun))
	}
	pages := 0
	for path := "/c/conversation-0"; path != ""; pages++ {
		page := b.get(path)
		var items []string
		for _, m := range transcriptItem.FindAllStringSubmatch(page.body, -1) {
			items = append(items, m[1])
		}
		if first, last := items[0], items[len(items)-1]; !strings.HasSuffix(first, "a") || !strings.HasPrefix(last, "e-") {
			t.Errorf("%s cuts a turn in two: from %s to %s", path, first, last)
		}
		got = append(items, got...)
		path = ""
		if strings.Contains(page.body, `class="earlier"`) {
			path = earlierLink(t, page)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if pages != 6 { // of 270 messages that are shown
		t.Errorf("%d pages", pages)
	}
}

func TestMessageOpensInItsPlace(t *testing.T) {
	t.Parallel()
	s, u := longChat(t, 90)
	b := s.as(u)
	b.get("/c/conversation-0?message=m000000030a").check(t, want{
		status: 200, has: []string{"m-m000000025d", "m-m000000030a", "m-m000000035a", "Show earlier", "viewing earlier messages"}, hasNot: []string{"m-m000000010a", "m-m000000050a", "data-stream=\"/ws/conversations"},
	})
	b.get("/c/conversation-0?message=m000000000a").check(t, want{status: 200, has: []string{"m-m000000000a", "m-m000000001a"}, hasNot: []string{"Show earlier"}})
	b.get("/c/conversation-0?message=m000000089d").check(t, want{status: 200, has: []string{"m-m000000089d", "data-stream=\"/ws/conversations"}})
	b.get("/c/conversation-0?message=of-another-chat").check(t, want{status: 404})
}

// TestSocketOfALongChat: the socket of a page sends what comes after the page, once.
func TestSocketOfALongChat(t *testing.T) {
	t.Parallel()
	const runs = 60
	s, u := longChat(t, runs)
	b := s.as(u)
	conn, _ := s.client(u).dial(fmt.Sprintf("/ws/conversations/conversation-0?format=html&after=%d", runs*storetest.EventsPerRun))
	b.get("/c/conversation-0")
	b.post("/c/conversation-0/messages", url.Values{"content": {"And now?"}, "client_id": {"x"}}).check(t, want{status: 303, location: "/c/conversation-0"})
	frame := read(t, conn, 1)[0]
	if strings.Count(frame, "And now?") != 1 || strings.Contains(frame, "m-m0000") {
		t.Errorf("the socket says %s", frame)
	}
	again, _ := s.client(u).dial(fmt.Sprintf("/ws/conversations/conversation-0?format=html&after=%d", runs*storetest.EventsPerRun))
	if got := read(t, again, 1)[0]; !slices.Equal(strings.Fields(got), strings.Fields(frame)) {
		t.Errorf("who comes back gets %s, and not %s", got, frame)
	}
}
