package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// HideMoney sets from the page who is shown money. Streams that are open
// end; their readers come back and find it so.
func (s *Spend) HideMoney(c echo.Context) error {
	value, said := "", "Saved. Everybody is shown what things cost."
	if c.FormValue("hidden") == "true" {
		value, said = "true", "Saved. Only admins are shown money; others see tokens."
	}
	if err := s.Store.SetSetting(c.Request().Context(), request.Viewer(c).Email, agent.MoneyHiddenKey, value); err != nil {
		return err
	}
	s.Streams.EndViewers(func(v agent.Viewer) bool { return v.Role != agent.RoleAdmin })
	s.Sessions.Flash(c, said)
	return c.Redirect(http.StatusSeeOther, "/admin/spend")
}
