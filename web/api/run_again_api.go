package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Retry is POST /api/v1/runs/{id}/again.
func (s *Runs) Retry(c echo.Context) error {
	done, err := s.Desk.Retry(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, map[string]string{"runId": done.RunID})
}
