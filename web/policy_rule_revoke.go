package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// policyRuleRevoke is DELETE /api/v1/policy/rules/{id}. Reviewers take back what
// has come from approvals, admins every rule.
func (s *Server) policyRuleRevoke(c echo.Context) error {
	if _, err := s.revokePolicyRule(c); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (s *Server) revokePolicyRule(c echo.Context) (*agent.PolicyRule, error) {
	ctx, v := c.Request().Context(), viewerOf(c)
	rule, err := s.Store.PolicyRule(ctx, c.Param("id"))
	if err != nil {
		return nil, err
	}
	if rule.Source != agent.RuleFromApproval && v.Role != agent.RoleAdmin {
		return nil, agent.Errorf(agent.Forbidden, "Only admins can revoke a rule that an admin has made.")
	}
	return rule, s.Store.RevokePolicyRule(ctx, v, rule.ID)
}
