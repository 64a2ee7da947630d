package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// moneyHiddenPost sets from the page who is shown money. Streams that are open
// end; their readers come back and find it so.
func (s *pageSpend_) moneyHiddenPost(c echo.Context) error {
	value, said := "", "Saved. Everybody is shown what things cost."
	if c.FormValue("hidden") == "true" {
		value, said = "true", "Saved. Only admins are shown money; others see tokens."
	}
	if err := s.Store.SetSetting(c.Request().Context(), viewerOf(c).Email, agent.MoneyHiddenKey, value); err != nil {
		return err
	}
	s.Streams.endViewers(func(v agent.Viewer) bool { return v.Role != agent.RoleAdmin })
	s.Sessions.flash(c, said)
	return c.Redirect(http.StatusSeeOther, "/admin/spend")
}
