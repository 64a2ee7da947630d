package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// CreateRule is POST /api/v1/guards/rules: the rule is in force at once,
// in place of the one that its tool has.
func (s *Guards) CreateRule(c echo.Context) error {
	var in agent.ToolRule
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	g, err := s.Service.Guards.AddRule(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, g)
}
