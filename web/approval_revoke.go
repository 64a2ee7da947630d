package web

import "github.com/labstack/echo/v4"

// approvalRevoke takes back what a decision covers beyond its call.
func (s *pageApproval_) approvalRevoke(c echo.Context) error {
	return s.changeCard(c, s.Desk.Revoke, "Taken back. Later calls ask again.")
}
