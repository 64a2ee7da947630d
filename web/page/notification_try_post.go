package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Test sends a test by one channel, from the page.
func (s *Notifications) Test(c echo.Context) error {
	channel := agent.Channel(c.FormValue("channel"))
	err := request.CheckChannel(channel)
	if err == nil {
		_, err = s.Store.PostTest(c.Request().Context(), request.Viewer(c).Email, channel)
	}
	if code := agent.CodeOf(err); code == agent.Conflict || code == agent.Invalid {
		return s.show(c, request.StatusOf(code, http.MethodPost), agent.MessageOf(err))
	}
	if err != nil {
		return err
	}
	s.Sessions.Flash(c, "A test is on its way. Its row below says what became of it.")
	return c.Redirect(http.StatusSeeOther, "/admin/notifications")
}
