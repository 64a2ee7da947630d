package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// policyRuleChange is PUT /api/v1/policy/rules/{id}: the rule is revoked, and
// what is sent takes its place under a new id.
func (s *Server) policyRuleChange(c echo.Context) error {
	old, err := s.Store.PolicyRule(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	var in ruleInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	rule, err := s.changePolicyRule(c, *old, in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.ruleView(rule))
}

// changePolicyRule keeps from which approval the rule has come: who undoes that
// takes back the changed rule too.
func (s *Server) changePolicyRule(c echo.Context, old agent.PolicyRule, in ruleInput) (agent.PolicyRule, error) {
	rule, err := s.ruleOf(c, in)
	if err != nil {
		return rule, err
	}
	rule.ApprovalID = old.ApprovalID
	return rule, s.Store.ChangePolicyRule(c.Request().Context(), viewerOf(c), old.ID, rule)
}
