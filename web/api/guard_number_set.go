package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// SetNumber is PUT /api/v1/guards/numbers/{key}. Empty texts go back to
// the configuration of the process.
func (s *Guards) SetNumber(c echo.Context) error {
	var in agent.GuardOverride
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	n, err := s.Service.Guards.SetNumber(c.Request().Context(), request.Viewer(c), c.Param("key"), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, n)
}
