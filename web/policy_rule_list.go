package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// policyRuleView is a rule as the API shows it.
type policyRuleView struct {
	agent.PolicyRule
	State agent.PolicyState `json:"state"`
}

func (s *apiPolicy) ruleView(r agent.PolicyRule) policyRuleView {
	return policyRuleView{r, r.State(s.Clock.Now())}
}

// policyRuleList is GET /api/v1/policy/rules: the rules of admins and of
// approvals, newest first, and beside them those of the configuration.
func (s *apiPolicy) policyRuleList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	state := agent.PolicyState(c.QueryParam("state"))
	if err := oneOf("state", state, agent.PolicyInForce, agent.PolicyExpired, agent.PolicyRevoked); err != nil {
		return err
	}
	rules, next, err := s.Store.AllPolicyRules(c.Request().Context(), state, p)
	if err != nil {
		return err
	}
	views := make([]policyRuleView, len(rules))
	for i, r := range rules {
		views[i] = s.ruleView(r)
	}
	return c.JSON(http.StatusOK, struct {
		listing[policyRuleView]
		Config []agent.PolicyRule `json:"config"`
	}{listing[policyRuleView]{Items: views, NextCursor: next}, notNull(s.PolicyRules)})
}
