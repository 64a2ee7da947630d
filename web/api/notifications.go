package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Notifications answers the calls about notifications.
type Notifications struct {
	Store service.DeliveryStore
}

// List is GET /api/v1/notifications, newest first.
func (s *Notifications) List(c echo.Context) error {
	f, err := request.DeliveryFilter(c.QueryParams())
	if err != nil {
		return err
	}
	return listPage(c, func(p agent.Page) ([]agent.Delivery, string, error) {
		return s.Store.Deliveries(c.Request().Context(), f, p)
	}, asIs)
}

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
	return answer(c, http.StatusCreated, deliveryID{fresh}, err)
}

// deliveryID names a delivery that was just made.
type deliveryID struct {
	ID string `json:"id"`
}

// Resend is POST /api/v1/notifications/{id}/resend: a new delivery
// of one that is at its end.
func (s *Notifications) Resend(c echo.Context) error {
	fresh, err := s.Store.Resend(c.Request().Context(), request.Viewer(c).Email, c.Param("id"))
	return answer(c, http.StatusCreated, deliveryID{fresh}, err)
}
