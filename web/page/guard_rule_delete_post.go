package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// DeleteRule takes a rule out of force, or a proposal off the list, from the page.
func (s *Guards) DeleteRule(c echo.Context) error {
	g, err := s.Service.Guards.DismissRule(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	if g.State == agent.RuleActive {
		s.Sessions.Flash(c, "The rule for "+g.Tool+" is not in force any more.")
	} else {
		s.Sessions.Flash(c, "The proposal for "+g.Tool+" is dismissed.")
	}
	return c.Redirect(http.StatusSeeOther, "/admin/guards")
}
