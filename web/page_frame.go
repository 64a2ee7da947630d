package web

import (
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/layout"
	"fusebox/views/part"
)

// sidebarLimit is how many conversations the sidebar lists.
const sidebarLimit = 60

// bareFrame is the frame of pages that need no session.
func (s *Server) bareFrame(c echo.Context, title string) layout.Props {
	return layout.Props{Title: title, CSRF: s.csrfOf(c), Theme: themeOf(c), Assets: assetURL}
}

// frame is the frame of a page: who looks at it, his conversations and what
// waits for him. active is the page's link in the sidebar.
func (s *Server) frame(c echo.Context, title, active string) (layout.Props, error) {
	return s.frameOf(c, title, active, "")
}

// frameOf is frame with the conversation that the page shows, if any.
func (s *Server) frameOf(c echo.Context, title, active, conversationID string) (layout.Props, error) {
	ctx, v := c.Request().Context(), viewerOf(c)
	p := s.bareFrame(c, title)
	p.Viewer = layout.Viewer{Email: v.Email, Role: string(v.Role)}
	p.Active, p.Search, p.Flash = active, clip(c.QueryParam("q"), 200), s.takeFlash(c)
	var err error
	if p.Pending, err = s.Store.CountPending(ctx, v); err != nil {
		return p, err
	}
	list, _, err := s.Store.Conversations(ctx, v.UserID, p.Search, agent.Page{Limit: sidebarLimit})
	if err != nil {
		return p, err
	}
	p.Sidebar = sidebar(list, p.Search, conversationID, s.Clock.Now())
	return p, nil
}

// sidebar groups conversations, the newest first, by how long ago they changed.
func sidebar(list []agent.Conversation, search, current string, now time.Time) templ.Component {
	var groups []part.ChatGroup
	for _, conv := range list {
		label := dayLabel(conv.UpdatedAt, now)
		if len(groups) == 0 || groups[len(groups)-1].Label != label {
			groups = append(groups, part.ChatGroup{Label: label})
		}
		g := &groups[len(groups)-1]
		g.Items = append(g.Items, part.ChatItem{
			ID: conv.ID, Title: titleOf(conv), Status: string(conv.ActiveStatus), Active: conv.ID == current,
		})
	}
	return part.ChatList(groups, search)
}

// dayLabel names the span of days of a moment, in the server's zone.
func dayLabel(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case !at.Before(midnight):
		return "Today"
	case !at.Before(midnight.AddDate(0, 0, -1)):
		return "Yesterday"
	case !at.Before(midnight.AddDate(0, 0, -7)):
		return "Last 7 days"
	default:
		return "Earlier"
	}
}

// titleOf names a conversation that has no title yet.
func titleOf(c agent.Conversation) string {
	if c.Title == "" {
		return "New chat"
	}
	return c.Title
}
