package web

import (
	"net/http"

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
