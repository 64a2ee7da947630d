package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/live"
	"fusebox/web/request"
)

// Alerts answers the calls about alerts.
type Alerts struct {
	Bell *live.Bell
}

// List is GET /api/v1/alerts, newest first. It marks nothing as seen.
func (s *Alerts) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	items, next, err := s.Bell.Alerts(c.Request().Context(), request.Viewer(c), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, request.Listing[agent.Alert]{Items: items, NextCursor: next})
}
