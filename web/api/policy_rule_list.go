package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// policyRuleView is a rule as the API shows it.
type policyRuleView struct {
	agent.PolicyRule
	State agent.PolicyState `json:"state"`
}

func (s *Policy) view(r agent.PolicyRule) policyRuleView {
	return policyRuleView{r, r.State(s.Clock.Now())}
}

// List is GET /api/v1/policy/rules: the rules of admins and of
// approvals, newest first, and beside them those of the configuration.
func (s *Policy) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	state := agent.PolicyState(c.QueryParam("state"))
	if err := request.OneOf("state", state, agent.PolicyInForce, agent.PolicyExpired, agent.PolicyRevoked); err != nil {
		return err
	}
	rules, next, err := s.Store.AllPolicyRules(c.Request().Context(), state, p)
	if err != nil {
		return err
	}
	views := make([]policyRuleView, len(rules))
	for i, r := range rules {
		views[i] = s.view(r)
	}
	return c.JSON(http.StatusOK, struct {
		request.Listing[policyRuleView]
		Config []agent.PolicyRule `json:"config"`
	}{request.Listing[policyRuleView]{Items: views, NextCursor: next}, request.NotNull(s.PolicyRules)})
}
