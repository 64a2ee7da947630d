package web

import (
	"fusebox/agent/service"
	"net/http"

	"github.com/labstack/echo/v4"
)

// budgetCreate is POST /api/v1/budgets: the budget holds from the next model call on.
func (s *apiBudgets) budgetCreate(c echo.Context) error {
	var in service.BudgetInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	b, err := s.Service.Budgets.Add(c.Request().Context(), viewerOf(c), in)
	if err != nil {
		return err
	}
	view, err := s.budgetViewOf(c, b.ID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, view)
}
