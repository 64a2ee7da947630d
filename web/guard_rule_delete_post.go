package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardRuleDeletePost takes a rule out of force, or a proposal off the list, from the page.
func (s *Server) guardRuleDeletePost(c echo.Context) error {
	ctx := c.Request().Context()
	g, err := s.Store.GuardRule(ctx, c.Param("id"))
	if err == nil {
		err = s.Store.DismissRule(ctx, viewerOf(c).Email, g.ID)
	}
	if err != nil {
		return s.refuseRule(c, err)
	}
	if g.State == agent.RuleActive {
		s.flash(c, "The rule for "+g.Tool+" is not in force any more.")
	} else {
		s.flash(c, "The proposal for "+g.Tool+" is dismissed.")
	}
	return c.Redirect(http.StatusSeeOther, "/admin/guards")
}
