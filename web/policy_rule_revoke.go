package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// policyRuleRevoke is DELETE /api/v1/policy/rules/{id}. Reviewers take back what
// has come from approvals, admins every rule.
func (s *apiPolicy) policyRuleRevoke(c echo.Context) error {
	if _, err := s.Service.Rules.Revoke(c.Request().Context(), viewerOf(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
