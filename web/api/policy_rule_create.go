package api

import (
	"fusebox/agent/service"
	"fusebox/web/request"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Create is POST /api/v1/policy/rules: the rule is in force at once.
func (s *Policy) Create(c echo.Context) error {
	var in service.RuleInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	rule, err := s.Service.Rules.Add(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, s.view(rule))
}
