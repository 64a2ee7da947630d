package web

import (
	"context"
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

// alertsOf are a viewer's alerts as he sees them now: those that were told while
// money was shown to him have its amounts no more.
func (s *bell) alertsOf(ctx context.Context, v agent.Viewer, p agent.Page) ([]agent.Alert, string, error) {
	items, next, err := s.Store.Alerts(ctx, v, p)
	if err == nil && len(items) > 0 && s.Visibility.tokensOnly(v) {
		for i := range items {
			items[i].Message = agent.WithoutAmounts(items[i].Message)
		}
	}
	return items, next, err
}
