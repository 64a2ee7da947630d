package web

import "github.com/labstack/echo/v4"

// approvalAgainAPI is POST /api/v1/approvals/{id}/again.
func (s *apiApprovals) approvalAgainAPI(c echo.Context) error {
	return s.changeCardAPI(c, s.Desk.AskAgain)
}
