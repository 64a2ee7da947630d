package api

import (
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
	return listPage(c, func(p agent.Page) ([]agent.Alert, string, error) {
		return s.Bell.Alerts(c.Request().Context(), request.Viewer(c), p)
	}, asIs)
}
