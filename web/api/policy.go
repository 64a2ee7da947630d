package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Policy answers the calls about policy.
type Policy struct {
	Store       service.RuleStore
	Clock       agent.Clock
	PolicyRules []agent.PolicyRule
	Service     *service.Service
}

type policyRuleView struct {
	agent.PolicyRule
	State     agent.PolicyState      `json:"state"`
	Suspended agent.PolicySuspension `json:"suspended,omitempty"`
}

func (s *Policy) view(r agent.PolicyRule) policyRuleView {
	state, why := r.State(s.Clock.Now())
	return policyRuleView{r, state, why}
}

// List is GET /api/v1/policy/rules: the rules of admins and of
// approvals, newest first, and beside them those of the configuration.
func (s *Policy) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	state := agent.PolicyState(c.QueryParam("state"))
	if err := request.OneOf("state", state, agent.PolicyInForce, agent.PolicySuspended, agent.PolicyExpired, agent.PolicyRevoked); err != nil {
		return err
	}
	rules, next, err := s.Store.AllPolicyRules(c.Request().Context(), state, p)
	views := make([]policyRuleView, len(rules))
	for i, r := range rules {
		views[i] = s.view(r)
	}
	return answer(c, http.StatusOK, struct {
		request.Listing[policyRuleView]
		Config []agent.PolicyRule `json:"config"`
	}{request.Listing[policyRuleView]{Items: views, NextCursor: next}, request.NotNull(s.PolicyRules)}, err)
}

// Create is POST /api/v1/policy/rules: the rule is in force at once.
func (s *Policy) Create(c echo.Context) error {
	var in service.RuleInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	rule, err := s.Service.Rules.Add(c.Request().Context(), request.Viewer(c), in)
	return answer(c, http.StatusCreated, s.view(rule), err)
}

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
	return answer(c, http.StatusOK, s.view(rule), err)
}

// Revoke is DELETE /api/v1/policy/rules/{id}. Reviewers take back what
// has come from approvals, admins every rule.
func (s *Policy) Revoke(c echo.Context) error {
	_, err := s.Service.Rules.Revoke(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return noContent(c, http.StatusNoContent, err)
}

// Test is POST /api/v1/policy/test: what policy says of a call, and which
// rule decides. Nothing is executed.
func (s *Policy) Test(c echo.Context) error {
	var in service.TriedCall
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	r, pattern, err := s.Service.Rules.Try(c.Request().Context(), request.Viewer(c), in)
	return answer(c, http.StatusOK, struct {
		Action  agent.Action    `json:"action"`
		Risk    agent.Risk      `json:"risk"`
		Rule    agent.Authority `json:"rule"`
		Reason  string          `json:"reason"`
		Pattern agent.Pattern   `json:"pattern,omitempty"`
	}{r.Action, r.Risk, r.Rule, r.Reason, pattern}, err)
}
