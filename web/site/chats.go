package site

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/request"
)

// How many conversations the sidebar lists to begin with and adds at a time, and at most.
const (
	sidebarChats    = 60
	maxSidebarChats = 20 * sidebarChats
)

// chatList is the sidebar's list of the viewer's conversations; chats in the query says how
// many are wanted.
func (s *Site) chatList(c echo.Context, search string) (templ.Component, error) {
	tr, url := Words(c), *c.Request().URL
	limit, _ := strconv.Atoi(c.QueryParam("chats")) // what is no number is as good as none
	limit = min(max(limit, sidebarChats), maxSidebarChats)
	q := agent.ChatListQuery{OwnerID: request.Viewer(c).UserID, Search: search, Limit: limit}
	if strings.HasPrefix(c.Path(), "/c/") {
		q.Open = c.Param("id")
	}
	found, err := s.Store.ChatList(c.Request().Context(), q)
	now := s.Clock.Now()
	p := part.ChatListProps{Groups: chatGroups(tr, found.Items, q.Open, now), Search: search, Shown: len(found.Items), Found: found.Found}
	if found.Open != nil {
		p.Groups = append([]part.ChatGroup{{Label: tr.T("page.sidebar.open"), Items: []part.ChatItem{chatItem(tr, *found.Open, q.Open)}}}, p.Groups...)
	}
	if limit < maxSidebarChats {
		query := url.Query()
		query.Set("chats", strconv.Itoa(limit+sidebarChats))
		if p.More = "?" + query.Encode(); c.Request().Method != http.MethodGet {
			p.More = "/" + p.More
		}
	}
	return part.ChatList(p), err
}

// chatGroups sorts conversations, newest first, into spans of days.
func chatGroups(tr *text.Printer, chats []agent.ListedChat, current string, now time.Time) []part.ChatGroup {
	var groups []part.ChatGroup
	for _, chat := range chats {
		label := dayLabel(tr, chat.UpdatedAt, now)
		if n := len(groups); n == 0 || groups[n-1].Label != label {
			groups = append(groups, part.ChatGroup{Label: label})
		}
		g := &groups[len(groups)-1]
		g.Items = append(g.Items, chatItem(tr, chat, current))
	}
	return groups
}

func chatItem(tr *text.Printer, chat agent.ListedChat, current string) part.ChatItem {
	return part.ChatItem{
		ID: chat.ID, Title: TitleOf(tr, chat.Title), Status: string(chat.ActiveStatus), Said: said(chat), At: chat.UpdatedAt, Active: chat.ID == current,
	}
}

// maxSaid is how many characters of what was said last a list shows.
const maxSaid = 60

// markup is what markdown consists of, beside words.
var markup = strings.NewReplacer("**", "", "__", "", "`", "", "#", "", "|", " ", "---", "", "> ", "")

// said is how what was said last begins, in one line without its markup; "" where the title
// says it.
func said(chat agent.ListedChat) string {
	line := strings.Join(strings.Fields(markup.Replace(chat.Said)), " ")
	if strings.HasPrefix(line, strings.TrimSuffix(chat.Title, "…")) {
		return ""
	}
	return agent.Clip(line, maxSaid)
}

// dayLabel names the span of days of a moment, in the zone of now.
func dayLabel(tr *text.Printer, at, now time.Time) string {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case !at.Before(midnight):
		return tr.T("page.sidebar.today")
	case !at.Before(midnight.AddDate(0, 0, -1)):
		return tr.T("page.sidebar.yesterday")
	case !at.Before(midnight.AddDate(0, 0, -7)):
		return tr.T("page.sidebar.week")
	default:
		return tr.T("page.sidebar.earlier")
	}
}
