package page

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/live"
	"fusebox/web/request"
)

// cardChange is what the desk does with a card that is decided or expired.
type cardChange func(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error)

// change takes a button under a card. It leads to the card's page; what is
// too late shows the card as it stands, and why.
func (s *Approval) change(c echo.Context, change cardChange, done string) error {
	v, id := request.Viewer(c), c.Param("id")
	_, err := change(c.Request().Context(), v, id)
	switch {
	case inPlace(c):
		return s.answerInPlace(c, err)
	case agent.CodeOf(err) == agent.Conflict:
		a, loadErr := s.Store.Approval(c.Request().Context(), v, id)
		if loadErr != nil {
			return loadErr
		}
		return s.show(c, http.StatusConflict, *a, agent.MessageOf(err), live.Typed{})
	case err != nil:
		return err
	}
	s.Sessions.Flash(c, done)
	return c.Redirect(http.StatusSeeOther, "/approvals/"+url.PathEscape(id))
}

// inPlace reports whether a form was sent by the page's script, which stays
// where it is and shows a problem under the form's buttons.
func inPlace(c echo.Context) bool {
	return c.Request().Header.Get(echo.HeaderAccept) == "application/problem+json"
}

func (s *Approval) answerInPlace(c echo.Context, err error) error {
	if err != nil {
		return request.WriteProblem(c, s.Visibility.ProblemFor(c, err))
	}
	return c.NoContent(http.StatusNoContent)
}
