package page

import "github.com/labstack/echo/v4"

// Undo takes a decision back that is not in effect yet.
func (s *Approval) Undo(c echo.Context) error {
	return s.change(c, s.Desk.Undo, "Taken back. It waits for a decision again.")
}
