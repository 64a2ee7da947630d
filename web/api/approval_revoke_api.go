package api

import "github.com/labstack/echo/v4"

// Revoke is POST /api/v1/approvals/{id}/revoke.
func (s *Approvals) Revoke(c echo.Context) error {
	return s.change(c, s.Desk.Revoke)
}
