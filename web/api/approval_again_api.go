package api

import "github.com/labstack/echo/v4"

// Reopen is POST /api/v1/approvals/{id}/again.
func (s *Approvals) Reopen(c echo.Context) error {
	return s.change(c, s.Desk.Reopen)
}
