package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Resend sends a delivery once more, from the page.
func (s *Notifications) Resend(c echo.Context) error {
	_, err := s.Store.Resend(c.Request().Context(), request.Viewer(c).Email, c.Param("id"))
	if agent.CodeOf(err) == agent.Conflict {
		return s.show(c, http.StatusConflict, agent.MessageOf(err))
	}
	if err != nil {
		return err
	}
	s.Sessions.Flash(c, "It is sent once more.")
	return c.Redirect(http.StatusSeeOther, "/admin/notifications")
}
