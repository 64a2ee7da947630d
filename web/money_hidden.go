package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// moneyHiddenKey is the setting that shows money to admins only.
const moneyHiddenKey = "money_hidden"

// hidesMoney reports whether a viewer is shown tokens only.
func (s *Server) hidesMoney(ctx context.Context, v agent.Viewer) (bool, error) {
	if v.Role == agent.RoleAdmin {
		return false, nil
	}
	value, err := s.Store.Setting(ctx, moneyHiddenKey)
	return value == "true", err
}

// moneyHiddenPost sets from the page who is shown money.
func (s *Server) moneyHiddenPost(c echo.Context) error {
	value, said := "", "Saved. Everybody is shown what things cost."
	if c.FormValue("hidden") == "true" {
		value, said = "true", "Saved. Only admins are shown money; others see tokens."
	}
	if err := s.Store.SetSetting(c.Request().Context(), viewerOf(c).Email, moneyHiddenKey, value); err != nil {
		return err
	}
	s.flash(c, said)
	return c.Redirect(http.StatusSeeOther, "/admin/spend")
}
