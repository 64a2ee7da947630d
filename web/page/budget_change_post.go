package page

import (
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Change takes the form of a budget that is changed.
func (s *Budgets) Change(c echo.Context) error {
	ctx := c.Request().Context()
	old, err := s.Store.Budget(ctx, c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	form, err := s.form(ctx, *old)
	if err != nil {
		return err
	}
	return s.takeForm(c, form, func(in service.BudgetInput) error {
		if err := sameAsShown(*old, c.FormValue("terms")); err != nil {
			return err
		}
		return s.Service.Budgets.Change(ctx, request.Viewer(c), *old, in)
	})
}

// sameAsShown refuses to put what was typed in place of what another admin has
// changed since the form was shown; the form then shows what holds now.
func sameAsShown(b agent.Budget, shown string) error {
	if shown == "" || shown == b.Terms() {
		return nil
	}
	strict := "hard"
	if b.Soft {
		strict = "soft"
	}
	return agent.Errorf(agent.Conflict, "Somebody else has changed this budget since you opened it: it is %s and has %s now. Save again to put what stands below in its place.",
		strict, strings.Join(limitsOf(b, true), " and "))
}
