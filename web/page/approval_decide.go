package page

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/live"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/session"
	"fusebox/web/site"
)

// Decide takes the decision form of a card. It leads to the approval's
// page; a decision that was not taken shows that page with the reason, and with
// everything that was typed: 409 with what is there instead, 422 with the errors
// at their fields. The page's script gets the reason alone.
func (s *Approval) Decide(c echo.Context) error {
	v, id := request.Viewer(c), c.Param("id")
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	a, err := s.Store.Approval(c.Request().Context(), v, id)
	if err != nil {
		return err
	}
	dec, err := s.decisionOf(site.Words(c), form, *a)
	if err == nil {
		var done *agent.Approval
		if done, err = s.Service.Approvals.Decide(c.Request().Context(), v, id, dec); err == nil {
			a = done
		}
	}
	switch code := agent.CodeOf(err); {
	case err == nil && form.Get("advance") == "true":
		return s.advance(c, *a)
	case inPlace(c):
		return answerInPlace(c, s.Visibility, err)
	case err == nil:
		return s.Back(c, "/approvals/"+url.PathEscape(id), decidedText(site.Words(c), *a))
	case code != agent.Conflict && code != agent.Invalid:
		return err
	default:
		return s.refuse(c, err, live.Typed{Form: form})
	}
}

// refuse shows the card as it is now, with what was typed and why that was not done.
func (s *Approval) refuse(c echo.Context, problem error, in live.Typed) error {
	a, err := s.Store.Approval(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	problem = request.Translated(site.Words(c), problem)
	if in.Form != nil {
		in.Draft, in.Problem = draftOf(in.Form, *a, problem), problem
	}
	return s.show(c, request.StatusOf(agent.CodeOf(problem), http.MethodPost), *a, agent.MessageOf(problem), in)
}

// decidedText says what a decision that was taken has led to.
func decidedText(tr *text.Printer, a agent.Approval) string {
	switch {
	case a.Status == agent.ApprovalPending && a.Author != "" && len(a.Votes) == 0:
		return tr.T("page.approval.edit_kept")
	case a.Status == agent.ApprovalPending:
		return tr.T("page.approval.counts")
	case !a.EffectiveAt.IsZero():
		return tr.T("page.approval.decided_undo")
	default:
		return tr.T("page.approval.decided")
	}
}

// change takes a button under a card. It leads to the card's page; what is
// too late shows the card as it is, and why.
func (s *Approval) change(c echo.Context, change func(context.Context, agent.Viewer, string) (*agent.Approval, error), done string) error {
	v, id := request.Viewer(c), c.Param("id")
	_, err := change(c.Request().Context(), v, id)
	switch {
	case inPlace(c):
		return answerInPlace(c, s.Visibility, err)
	case agent.CodeOf(err) == agent.Conflict:
		return s.refuse(c, err, live.Typed{})
	case err != nil:
		return err
	}
	return s.Back(c, "/approvals/"+url.PathEscape(id), done)
}

// inPlace reports whether a form was sent by the page's script, which stays
// where it is and shows a problem under the form's buttons.
func inPlace(c echo.Context) bool {
	return c.Request().Header.Get(echo.HeaderAccept) == "application/problem+json"
}

func answerInPlace(c echo.Context, visibility *request.Visibility, err error) error {
	if err != nil {
		return request.WriteProblem(c, visibility.ProblemFor(c, err))
	}
	return c.NoContent(http.StatusNoContent)
}

// Undo takes a decision back that is not in effect yet.
func (s *Approval) Undo(c echo.Context) error {
	return s.change(c, s.Service.Approvals.Undo, site.Words(c).T("page.approval.undone"))
}

// Reopen puts an expired card before people again.
func (s *Approval) Reopen(c echo.Context) error {
	return s.change(c, s.Service.Approvals.Reopen, site.Words(c).T("page.approval.reopened"))
}

// Revoke takes back what a decision covers beyond its call.
func (s *Approval) Revoke(c echo.Context) error {
	return s.change(c, s.Service.Approvals.Revoke, site.Words(c).T("page.approval.revoked"))
}

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
		s.Sessions.Flash(c, decidedText(site.Words(c), a))
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
