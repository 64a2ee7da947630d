package page

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/session"
)

// sessionDecided keeps which approval was just decided for the page that comes after it.
const sessionDecided = "decided"

// advance leads from an approval that was decided on its own page to the next that
// waits, or to the inbox where none does. The page there says what was decided.
func (s *Approval) advance(c echo.Context, a agent.Approval) error {
	ctx := c.Request().Context()
	besides, err := s.besides(ctx, request.Viewer(c), a)
	if err != nil {
		return err
	}
	s.Sessions.Keep(ctx, sessionDecided, a.ID)
	next := cmp.Or(besides.Next, "/approvals")
	if a.Status == agent.ApprovalPending { // others have to decide, too
		s.Sessions.Flash(c, decidedText(words(c), a))
	}
	if inPlace(c) { // the script goes there
		c.Response().Header().Set(echo.HeaderLocation, next)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, next)
}

// takeDecided is what was decided on the page before, once; nil for nothing.
func takeDecided(c echo.Context, sessions *session.Sessions, store service.ApprovalStore, visible *request.Visibility) (*page.JustDecided, error) {
	ctx := c.Request().Context()
	id := sessions.Take(ctx, sessionDecided)
	if id == "" {
		return nil, nil
	}
	a, err := store.Approval(ctx, request.Viewer(c), id)
	if agent.CodeOf(err) == agent.NotFound { // its conversation is gone
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if visible.TokensOnly(request.Viewer(c)) {
		*a = present.ApprovalWithoutMoney(*a)
	}
	tr := text.In(ctx)
	said := present.SettledBy(tr, *a)
	if a.Status == agent.ApprovalPending {
		said = ""
	}
	return &page.JustDecided{What: present.WishOf(tr, *a).Line(tr), Said: said, Href: approvalPath(a.ID), CanUndo: !a.EffectiveAt.IsZero()}, nil
}
