package page

import "github.com/labstack/echo/v4"

// Revoke takes back what a decision covers beyond its call.
func (s *Approval) Revoke(c echo.Context) error {
	return s.change(c, s.Desk.Revoke, "Taken back. Later calls ask again.")
}
