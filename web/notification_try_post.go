package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// notificationTryPost sends a test by one channel, from the page.
func (s *pageNotifications_) notificationTryPost(c echo.Context) error {
	channel := agent.Channel(c.FormValue("channel"))
	err := checkChannel(channel)
	if err == nil {
		_, err = s.Store.PostTest(c.Request().Context(), viewerOf(c).Email, channel)
	}
	if code := agent.CodeOf(err); code == agent.Conflict || code == agent.Invalid {
		return s.showNotifications(c, statusOf(code, http.MethodPost), agent.MessageOf(err))
	}
	if err != nil {
		return err
	}
	s.Sessions.flash(c, "A test is on its way. Its row below says what became of it.")
	return c.Redirect(http.StatusSeeOther, "/admin/notifications")
}
