package web

import "github.com/labstack/echo/v4"

// approvalAgain puts an expired card before people again.
func (s *pageApproval_) approvalAgain(c echo.Context) error {
	return s.changeCard(c, s.Desk.AskAgain, "Asked again.")
}
