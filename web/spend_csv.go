package web

import "github.com/labstack/echo/v4"

// spendCSV is the bill as a file to download, by day, user, model, conversation or tool.
func (s *Server) spendCSV(c echo.Context) error {
	q, err := s.spendQuery(c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Spend(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return writeSpendCSV(c, q.Group, rows)
}
