package api

import "github.com/labstack/echo/v4"

// Undo is POST /api/v1/approvals/{id}/undo.
func (s *Approvals) Undo(c echo.Context) error {
	return s.change(c, s.Desk.Undo)
}
