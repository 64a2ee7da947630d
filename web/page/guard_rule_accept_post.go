package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// AcceptRule puts a proposal in force from the page.
func (s *Guards) AcceptRule(c echo.Context) error {
	g, err := s.Service.Guards.AcceptRule(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	s.Sessions.Flash(c, "The rule for "+g.Tool+" is in force from the next run on.")
	return c.Redirect(http.StatusSeeOther, "/admin/guards")
}

// refuse shows the page as it stands where somebody else was faster.
func (s *Guards) refuse(c echo.Context, err error) error {
	code := agent.CodeOf(err)
	if code != agent.Conflict && code != agent.NotFound {
		return err
	}
	return s.show(c, request.StatusOf(code, http.MethodPost), guardsInput{problem: agent.MessageOf(err)})
}
