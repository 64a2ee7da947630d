package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardRuleAcceptPost puts a proposal in force from the page.
func (s *pageGuards_) guardRuleAcceptPost(c echo.Context) error {
	g, err := s.Service.Guards.AcceptRule(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return s.refuseRule(c, err)
	}
	s.Sessions.flash(c, "The rule for "+g.Tool+" is in force from the next run on.")
	return c.Redirect(http.StatusSeeOther, "/admin/guards")
}

// refuseRule shows the page as it stands where somebody else was faster.
func (s *pageGuards_) refuseRule(c echo.Context, err error) error {
	code := agent.CodeOf(err)
	if code != agent.Conflict && code != agent.NotFound {
		return err
	}
	return s.showGuards(c, statusOf(code, http.MethodPost), guardsInput{problem: agent.MessageOf(err)})
}
