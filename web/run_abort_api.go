package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// runAbortAPI is POST /api/v1/runs/{id}/abort.
func (s *apiRuns) runAbortAPI(c echo.Context) error {
	if err := s.Desk.Abort(c.Request().Context(), viewerOf(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusAccepted)
}
