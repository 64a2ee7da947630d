package web

import "github.com/labstack/echo/v4"

// spendCSV is the bill as a file to download, by day, user, model, conversation or tool.
func (s *pageSpend_) spendCSV(c echo.Context) error {
	q, err := spendQuery(s.Clock, s.Visibility, c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Spend(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return writeSpendCSV(c, q.Group, rows)
}
