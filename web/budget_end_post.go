package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// budgetEndPost ends a budget from the page.
func (s *pageBudgets_) budgetEndPost(c echo.Context) error {
	if err := s.Store.EndBudget(c.Request().Context(), viewerOf(c), c.Param("id")); err != nil {
		return s.refuseBudget(c, err)
	}
	s.Sessions.flash(c, "The budget has ended: runs that waited for it look again.")
	return c.Redirect(http.StatusSeeOther, "/admin/budgets")
}
