package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// runAgainAPI is POST /api/v1/runs/{id}/again.
func (s *apiRuns) runAgainAPI(c echo.Context) error {
	done, err := s.Desk.TryAgain(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, map[string]string{"runId": done.RunID})
}
