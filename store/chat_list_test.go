package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// TestChatList: a person's conversations come newest first with what was said last, how many there
// are, and the one that is open, and nobody else's.
func TestChatList(t *testing.T) {
	t.Parallel()
	s := openFor(t, nil)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, now := t.Context(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, u := range []string{"u", "v"} {
		ok(s.CreateUser(ctx, agent.User{ID: u, Email: u + "@b", Role: agent.RoleUser}, "h"))
	}
	for i := range 5 {
		at := now.Add(time.Duration(i) * time.Minute)
		ok(s.CreateConversation(ctx, agent.Conversation{ID: fmt.Sprint("c", i), OwnerID: "u", Title: fmt.Sprint("Title ", i), ApprovalMode: agent.ModeDefault, CreatedAt: at, UpdatedAt: at}))
	}
	ok(s.CreateConversation(ctx, agent.Conversation{ID: "other", OwnerID: "v", Title: "Title", ApprovalMode: agent.ModeDefault, CreatedAt: now, UpdatedAt: now}))
	ok(s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		for i, m := range []agent.Message{
			{Role: agent.FromUser, Content: "First"}, {Role: agent.FromAssistant, Content: "Said last, é " + strings.Repeat("x", 500)},
			{Role: agent.FromAssistant}, {Role: agent.FromTool, Content: "a result"},
		} {
			m.ID, m.ConversationID, m.CreatedAt = fmt.Sprint("m", i), "c4", now.Add(time.Hour)
			if err := errors.Join(insertMessage(t, m), follow(t, m)); err != nil {
				return err
			}
		}
		return nil
	}))
	for name, tc := range map[string]struct {
		q     agent.ChatListQuery
		want  string
		found int
		open  string
	}{
		"all":                     {agent.ChatListQuery{OwnerID: "u", Limit: 10}, "c4 c3 c2 c1 c0", 5, ""},
		"some":                    {agent.ChatListQuery{OwnerID: "u", Limit: 2}, "c4 c3", 5, ""},
		"an older one is open":    {agent.ChatListQuery{OwnerID: "u", Limit: 2, Open: "c0"}, "c4 c3", 5, "c0"},
		"a listed one is open":    {agent.ChatListQuery{OwnerID: "u", Limit: 2, Open: "c3"}, "c4 c3", 5, ""},
		"another's is open":       {agent.ChatListQuery{OwnerID: "u", Limit: 2, Open: "other"}, "c4 c3", 5, ""},
		"searched":                {agent.ChatListQuery{OwnerID: "u", Limit: 2, Search: "title", Open: "c0"}, "c4 c3", 5, ""},
		"searched for one":        {agent.ChatListQuery{OwnerID: "u", Limit: 2, Search: "TITLE 1"}, "c1", 1, ""},
		"searched for nothing":    {agent.ChatListQuery{OwnerID: "u", Limit: 2, Search: "%"}, "", 0, ""},
		"of a person without any": {agent.ChatListQuery{OwnerID: "w", Limit: 2}, "", 0, ""},
	} {
		got, err := s.ChatList(ctx, tc.q)
		ok(err)
		var ids []string
		for _, c := range got.Items {
			ids = append(ids, c.ID)
		}
		open := ""
		if got.Open != nil {
			open = got.Open.ID
		}
		if strings.Join(ids, " ") != tc.want || got.Found != tc.found || open != tc.open {
			t.Errorf("%s: %v of %d, open is %q", name, ids, got.Found, open)
		}
	}
	got, err := s.ChatList(ctx, agent.ChatListQuery{OwnerID: "u", Limit: 1})
	ok(err)
	if c := got.Items[0]; !strings.HasPrefix(c.Said, "Said last, é xx") || len([]rune(c.Said)) != saidLength || c.UpdatedAt.IsZero() {
		t.Errorf("listed is %+v", c)
	}
	if _, err := s.ChatList(ctx, agent.ChatListQuery{OwnerID: "u", Limit: 1, Search: strings.Repeat("x", 201)}); agent.CodeOf(err) != agent.Invalid {
		t.Errorf("a long search: %v", err)
	}
}
