package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// List is GET /api/v1/notifications, newest first.
func (s *Notifications) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	f, err := request.DeliveryFilter(c.QueryParams())
	if err != nil {
		return err
	}
	items, next, err := s.Store.Deliveries(c.Request().Context(), f, p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, request.Listing[agent.Delivery]{Items: items, NextCursor: next})
}
