package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// cardChange is what the desk does with a card that is decided or expired.
type cardChange func(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error)

// changeCard takes a button under a card. It leads to the card's page; what is
// too late shows the card as it stands, and why.
func (s *pageApproval_) changeCard(c echo.Context, change cardChange, done string) error {
	v, id := viewerOf(c), c.Param("id")
	_, err := change(c.Request().Context(), v, id)
	switch {
	case inPlace(c):
		return s.answerInPlace(c, err)
	case agent.CodeOf(err) == agent.Conflict:
		a, loadErr := s.Store.Approval(c.Request().Context(), v, id)
		if loadErr != nil {
			return loadErr
		}
		return s.showApproval(c, http.StatusConflict, *a, agent.MessageOf(err), typed{})
	case err != nil:
		return err
	}
	s.Sessions.flash(c, done)
	return c.Redirect(http.StatusSeeOther, "/approvals/"+url.PathEscape(id))
}

// inPlace reports whether a form was sent by the page's script, which stays
// where it is and shows a problem under the form's buttons.
func inPlace(c echo.Context) bool {
	return c.Request().Header.Get(echo.HeaderAccept) == "application/problem+json"
}

func (s *pageApproval_) answerInPlace(c echo.Context, err error) error {
	if err != nil {
		return writeProblem(c, s.Visibility.problemFor(c, err))
	}
	return c.NoContent(http.StatusNoContent)
}
