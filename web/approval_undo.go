package web

import "github.com/labstack/echo/v4"

// approvalUndo takes a decision back that is not in effect yet.
func (s *pageApproval_) approvalUndo(c echo.Context) error {
	return s.changeCard(c, s.Desk.Undo, "Taken back. It waits for a decision again.")
}
