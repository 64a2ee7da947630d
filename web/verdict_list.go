package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// verdictList is GET /api/v1/runs/{id}/verdicts, oldest first.
func (s *apiRuns) verdictList(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := s.Store.Run(ctx, viewerOf(c), c.Param("id"))
	if err != nil {
		return err
	}
	verdicts, err := s.Store.Verdicts(ctx, run.ID)
	if err != nil {
		return err
	}
	if s.Visibility.tokensOnly(viewerOf(c)) {
		for i := range verdicts {
			verdicts[i].CostMicros, verdicts[i].SavedMicros = 0, 0
		}
	}
	return c.JSON(http.StatusOK, listing[agent.VerdictRecord]{Items: notNull(verdicts)})
}
