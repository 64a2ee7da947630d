package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// alertList is GET /api/v1/alerts, newest first. It marks nothing as seen.
func (s *apiAlerts) alertList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	items, next, err := s.Bell.alertsOf(c.Request().Context(), viewerOf(c), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listing[agent.Alert]{items, next})
}
