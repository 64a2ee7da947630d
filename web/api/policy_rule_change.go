package api

import (
	"fusebox/agent/service"
	"fusebox/web/request"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Change is PUT /api/v1/policy/rules/{id}: the rule is revoked, and
// what is sent takes its place under a new id.
func (s *Policy) Change(c echo.Context) error {
	old, err := s.Store.PolicyRule(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	var in service.RuleInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	rule, err := s.Service.Rules.Change(c.Request().Context(), request.Viewer(c), *old, in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.view(rule))
}
