package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// notificationList is GET /api/v1/notifications, newest first.
func (s *apiNotifications) notificationList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	f, err := deliveryFilter(c.QueryParams())
	if err != nil {
		return err
	}
	items, next, err := s.Store.Deliveries(c.Request().Context(), f, p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listing[agent.Delivery]{items, next})
}

// deliveryFilter reads ?state= and ?channel=; empty is all.
func deliveryFilter(q url.Values) (agent.DeliveryFilter, error) {
	f := agent.DeliveryFilter{State: agent.DeliveryState(q.Get("state")), Channel: agent.Channel(q.Get("channel"))}
	if err := oneOf("state", f.State, agent.DeliveryPending, agent.DeliverySent, agent.DeliveryDead); err != nil {
		return f, err
	}
	return f, oneOf("channel", f.Channel, agent.ChannelWebhook, agent.ChannelEmail)
}
