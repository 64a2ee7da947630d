package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// End is DELETE /api/v1/budgets/{id}: nothing is held against it any more,
// what was booked on it stays.
func (s *Budgets) End(c echo.Context) error {
	if err := s.Store.EndBudget(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
