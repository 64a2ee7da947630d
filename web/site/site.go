// Package site has what every page has: the frame with its navigation and list of chats, the
// languages and looks that are offered, how a page is written, how a form is answered, and how
// people are told what went wrong.
//
// Packages page and page/money are built on it; it imports neither.
package site

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/layout"
	"fusebox/views/styleguide"
	"fusebox/views/text"
	"fusebox/web/address"
	"fusebox/web/asset"
	"fusebox/web/live"
	"fusebox/web/request"
	"fusebox/web/session"
)

// Site is what every page has: the frame around it, and how it is written.
type Site struct {
	Store    service.Store
	Service  *service.Service
	Bell     *live.Bell
	Clock    agent.Clock
	Logger   *slog.Logger
	Sessions *session.Sessions
	// Visibility says whose money who may see.
	Visibility *request.Visibility
	// Zone is where the days and months of money begin.
	Zone    *time.Location
	Address address.Site
	// DatabaseFault is what is damaged in the database, "" for nothing; nil is not known.
	DatabaseFault func() string
}

// Shell is the frame of a page behind the login; active is the page's link in
// the sidebar. What the frame cannot load is logged and left out: it must not
// take the page down with it.
func (s *Site) Shell(c echo.Context, title, active string) layout.Props {
	v, ctx := request.Viewer(c), c.Request().Context()
	p := s.Frame(c, title)
	p.Viewer = layout.Viewer{Email: v.Email, Name: v.Name, Role: string(v.Role)}
	p.Active, p.Search, p.Flash = active, agent.Clip(c.QueryParam("q"), 200), s.Sessions.TakeFlash(c)
	if v.Role == agent.RoleAdmin {
		if s.DatabaseFault != nil {
			p.Fault = s.DatabaseFault()
		}
		if err := s.Store.FilesIntact(); err != nil {
			p.Trouble = request.Said(Words(c), err)
		}
	}
	p.Offer = offeredLanguage(c)
	rings, err := s.Bell.Ringing(ctx, v)
	if err != nil {
		s.Logger.Log(ctx, lackLevel(ctx), "counting what waits for the sidebar failed", "user_id", v.UserID, "error", err)
	}
	p.Pending, p.Bell = rings.Pending, live.BellProps(Words(c), rings)
	if active == "approvals" && c.Param("id") != "" {
		p.Inbox = "&approval=" + url.QueryEscape(c.Param("id"))
	}
	if p.Sidebar, err = s.chatList(c, p.Search); err != nil {
		s.Logger.Log(ctx, lackLevel(ctx), "listing conversations for the sidebar failed", "user_id", v.UserID, "error", err)
	}
	return p
}

// lackLevel is how loudly to log that a page lacks something: where the browser has left,
// nobody misses it.
func lackLevel(ctx context.Context) slog.Level {
	if ctx.Err() != nil {
		return slog.LevelDebug
	}
	return slog.LevelError
}

// Frame is what every page has, with or without a session.
func (s *Site) Frame(c echo.Context, title string) layout.Props {
	return layout.Props{Title: title, CSRF: s.Sessions.FormToken(c), Visit: s.Sessions.Visit(c), Theme: themeOf(c), Assets: asset.URL, Languages: otherLanguages(c)}
}

// TitleOf is how people are shown the title of a conversation.
func TitleOf(tr *text.Printer, title string) string {
	if title == "" {
		return tr.T("page.chat.untitled")
	}
	return title
}

// Within is the title of a page that belongs to something: a chat, or a group of pages.
func Within(title, whole string) string { return title + " · " + whole }

// Words writes the texts of the page that answers a request.
func Words(c echo.Context) *text.Printer { return text.In(c.Request().Context()) }

// MayReturn lets a browser keep a page for its buttons back and forward. Its script
// takes care that it is not shown after signing out.
func MayReturn(c echo.Context) {
	c.Response().Header().Set("Cache-Control", "private,no-cache")
}

// Render writes a page, with its links as the site's address has them.
func (s *Site) Render(c echo.Context, status int, page templ.Component) error {
	var html bytes.Buffer
	if err := page.Render(c.Request().Context(), &html); err != nil {
		return err
	}
	if h := c.Response().Header(); h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	c.Response().Header().Add(echo.HeaderVary, "Accept-Language")
	return c.HTMLBlob(status, s.Address.HTML(html.Bytes()))
}

// Styleguide is GET /styleguide: every part of the pages in every state, for those who
// work on Fusebox.
func (s *Site) Styleguide(c echo.Context) error {
	return s.Render(c, http.StatusOK, styleguide.Page(s.Shell(c, Words(c).T("styleguide.title"), "")))
}
