package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Verdicts is GET /api/v1/runs/{id}/verdicts, oldest first.
func (s *Runs) Verdicts(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := s.Store.Run(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	verdicts, err := s.Store.Verdicts(ctx, run.ID)
	if err != nil {
		return err
	}
	if s.Visibility.TokensOnly(request.Viewer(c)) {
		for i := range verdicts {
			verdicts[i].CostMicros, verdicts[i].SavedMicros = 0, 0
		}
	}
	return c.JSON(http.StatusOK, request.Listing[agent.VerdictRecord]{Items: request.NotNull(verdicts)})
}
