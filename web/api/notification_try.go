package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Test is POST /api/v1/notifications/test: a test by one channel.
// That of e-mail goes to the one who asks.
func (s *Notifications) Test(c echo.Context) error {
	var in struct {
		Channel agent.Channel `json:"channel"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := request.CheckChannel(in.Channel); err != nil {
		return err
	}
	fresh, err := s.Store.PostTest(c.Request().Context(), request.Viewer(c).Email, in.Channel)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, deliveryID{fresh})
}
