package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// RevokeRule takes a rule out of force from the page.
func (s *Tools) RevokeRule(c echo.Context) error {
	if _, err := s.Service.Rules.Revoke(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return s.refuse(c, err)
	}
	s.Sessions.Flash(c, "The rule is revoked: calls that it let pass and that have not begun are asked about.")
	return c.Redirect(http.StatusSeeOther, "/admin/tools#rules-people")
}

// refuse shows the page as it stands where somebody else was faster.
func (s *Tools) refuse(c echo.Context, err error) error {
	code := agent.CodeOf(err)
	if code != agent.Conflict && code != agent.NotFound {
		return err
	}
	return s.show(c, request.StatusOf(code, http.MethodPost), toolsInput{problem: agent.MessageOf(err)})
}
