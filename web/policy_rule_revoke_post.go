package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// policyRuleRevokePost takes a rule out of force from the page.
func (s *pageTools_) policyRuleRevokePost(c echo.Context) error {
	if _, err := s.Service.Rules.Revoke(c.Request().Context(), viewerOf(c), c.Param("id")); err != nil {
		return s.refusePolicyRule(c, err)
	}
	s.Sessions.flash(c, "The rule is revoked: calls that it let pass and that have not begun are asked about.")
	return c.Redirect(http.StatusSeeOther, "/admin/tools#rules-people")
}

// refusePolicyRule shows the page as it stands where somebody else was faster.
func (s *pageTools_) refusePolicyRule(c echo.Context, err error) error {
	code := agent.CodeOf(err)
	if code != agent.Conflict && code != agent.NotFound {
		return err
	}
	return s.showTools(c, statusOf(code, http.MethodPost), toolsInput{problem: agent.MessageOf(err)})
}
