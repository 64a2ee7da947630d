package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// auditList is GET /api/v1/audit, newest first, with the filter of the page.
func (s *apiAudit) auditList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	f, err := auditFilter(c.QueryParams())
	if err != nil {
		return err
	}
	rows, next, err := s.Store.AuditRows(c.Request().Context(), f, p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listing[agent.AuditRow]{rows, next})
}
