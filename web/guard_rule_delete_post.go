package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardRuleDeletePost takes a rule out of force, or a proposal off the list, from the page.
func (s *pageGuards_) guardRuleDeletePost(c echo.Context) error {
	g, err := s.Service.Guards.DismissRule(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return s.refuseRule(c, err)
	}
	if g.State == agent.RuleActive {
		s.Sessions.flash(c, "The rule for "+g.Tool+" is not in force any more.")
	} else {
		s.Sessions.flash(c, "The proposal for "+g.Tool+" is dismissed.")
	}
	return c.Redirect(http.StatusSeeOther, "/admin/guards")
}
