package web

import "github.com/labstack/echo/v4"

// budgetChangePost takes the form of a budget that is changed.
func (s *Server) budgetChangePost(c echo.Context) error {
	ctx := c.Request().Context()
	old, err := s.Store.Budget(ctx, c.Param("id"))
	if err != nil {
		return s.refuseBudget(c, err)
	}
	form, err := s.budgetForm(ctx, *old)
	if err != nil {
		return err
	}
	return s.takeBudgetForm(c, form, func(in budgetInput) error { return s.changeBudget(c, *old, in) })
}
