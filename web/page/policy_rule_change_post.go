package page

import (
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// ChangeRule takes the form of a rule that is changed.
func (s *Tools) ChangeRule(c echo.Context) error {
	old, err := s.Store.PolicyRule(c.Request().Context(), c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	return s.takeRuleForm(c, old.ID, func(in service.RuleInput) (agent.PolicyRule, error) {
		return s.Service.Rules.Change(c.Request().Context(), request.Viewer(c), *old, in)
	})
}
