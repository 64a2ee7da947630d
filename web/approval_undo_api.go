package web

import "github.com/labstack/echo/v4"

// approvalUndoAPI is POST /api/v1/approvals/{id}/undo.
func (s *apiApprovals) approvalUndoAPI(c echo.Context) error {
	return s.changeCardAPI(c, s.Desk.Undo)
}
