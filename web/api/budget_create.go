package api

import (
	"fusebox/agent/service"
	"fusebox/web/request"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Create is POST /api/v1/budgets: the budget holds from the next model call on.
func (s *Budgets) Create(c echo.Context) error {
	var in service.BudgetInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	b, err := s.Service.Budgets.Add(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	view, err := s.view(c, b.ID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, view)
}
