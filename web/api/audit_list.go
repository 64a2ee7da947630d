package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// List is GET /api/v1/audit, newest first, with the filter of the page.
func (s *Audit) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	f, err := request.AuditFilter(c.QueryParams())
	if err != nil {
		return err
	}
	rows, next, err := s.Store.AuditRows(c.Request().Context(), f, p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, request.Listing[agent.AuditRow]{Items: rows, NextCursor: next})
}
