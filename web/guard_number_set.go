package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardNumberSet is PUT /api/v1/guards/numbers/{key}. Empty texts go back to
// the configuration of the process.
func (s *apiGuards) guardNumberSet(c echo.Context) error {
	var in agent.GuardOverride
	if err := readJSON(c, &in); err != nil {
		return err
	}
	n, err := s.Service.Guards.SetNumber(c.Request().Context(), viewerOf(c), c.Param("key"), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, n)
}
