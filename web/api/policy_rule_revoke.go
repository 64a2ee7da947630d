package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Revoke is DELETE /api/v1/policy/rules/{id}. Reviewers take back what
// has come from approvals, admins every rule.
func (s *Policy) Revoke(c echo.Context) error {
	if _, err := s.Service.Rules.Revoke(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
