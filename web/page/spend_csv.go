package page

import (
	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// CSV is the bill as a file to download, by day, user, model, conversation or tool.
func (s *Spend) CSV(c echo.Context) error {
	q, err := request.SpendQuery(s.Clock, s.Visibility, c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Spend(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return request.WriteSpendCSV(c, q.Group, rows)
}
