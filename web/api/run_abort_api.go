package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Abort is POST /api/v1/runs/{id}/abort.
func (s *Runs) Abort(c echo.Context) error {
	if err := s.Desk.Abort(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusAccepted)
}
