package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// End ends a budget from the page.
func (s *Budgets) End(c echo.Context) error {
	if err := s.Store.EndBudget(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return s.refuse(c, err)
	}
	s.Sessions.Flash(c, "The budget has ended: runs that waited for it look again.")
	return c.Redirect(http.StatusSeeOther, "/admin/budgets")
}
