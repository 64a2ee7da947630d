package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// notificationResendPost sends a delivery once more, from the page.
func (s *pageNotifications_) notificationResendPost(c echo.Context) error {
	_, err := s.Store.Resend(c.Request().Context(), viewerOf(c).Email, c.Param("id"))
	if agent.CodeOf(err) == agent.Conflict {
		return s.showNotifications(c, http.StatusConflict, agent.MessageOf(err))
	}
	if err != nil {
		return err
	}
	s.Sessions.flash(c, "It is sent once more.")
	return c.Redirect(http.StatusSeeOther, "/admin/notifications")
}
