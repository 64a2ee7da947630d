package web

import (
	"fusebox/agent/service"
	"net/http"

	"github.com/labstack/echo/v4"
)

// policyRuleCreate is POST /api/v1/policy/rules: the rule is in force at once.
func (s *apiPolicy) policyRuleCreate(c echo.Context) error {
	var in service.RuleInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	rule, err := s.Service.Rules.Add(c.Request().Context(), viewerOf(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, s.ruleView(rule))
}
