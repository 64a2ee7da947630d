package page

import "github.com/labstack/echo/v4"

// Reopen puts an expired card before people again.
func (s *Approval) Reopen(c echo.Context) error {
	return s.change(c, s.Desk.Reopen, "Asked again.")
}
