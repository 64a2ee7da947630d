package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// ruleInput are the fields of a rule that a person sets.
type ruleInput struct {
	Tool      string             `json:"tool"`
	Args      agent.Pattern      `json:"args"`
	ArgsHash  string             `json:"argsHash"`
	Effect    agent.Effect       `json:"effect"`
	Risk      agent.Risk         `json:"risk"`
	Who       string             `json:"who"`
	Mode      agent.ApprovalMode `json:"mode"`
	Action    agent.Action       `json:"action"`
	SetRisk   agent.Risk         `json:"setRisk"`
	Priority  int                `json:"priority"`
	Reason    string             `json:"reason"`
	ExpiresAt string             `json:"expiresAt"`
}

// policyRuleCreate is POST /api/v1/policy/rules: the rule is in force at once.
func (s *Server) policyRuleCreate(c echo.Context) error {
	var in ruleInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	rule, err := s.addPolicyRule(c, in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, s.ruleView(rule))
}

func (s *Server) addPolicyRule(c echo.Context, in ruleInput) (agent.PolicyRule, error) {
	rule, err := s.ruleOf(c, in)
	if err != nil {
		return rule, err
	}
	return rule, s.Store.AddPolicyRule(c.Request().Context(), viewerOf(c), rule)
}

// ruleOf checks what a person wrote and makes the rule of it.
func (s *Server) ruleOf(c echo.Context, in ruleInput) (agent.PolicyRule, error) {
	rule := agent.PolicyRule{
		ID: s.NewID(), Tool: strings.TrimSpace(in.Tool), Args: in.Args, ArgsHash: strings.TrimSpace(in.ArgsHash),
		Effect: in.Effect, Risk: in.Risk, Who: strings.TrimSpace(in.Who), Mode: in.Mode, Action: in.Action, SetRisk: in.SetRisk,
		Priority: in.Priority, Reason: strings.TrimSpace(in.Reason),
		Source: agent.RuleFromAdmin, CreatedBy: viewerOf(c).Email, CreatedAt: agent.Stamp(s.Clock),
	}
	if err := rule.Check(); err != nil {
		return rule, err
	}
	if in.ExpiresAt == "" {
		return rule, nil
	}
	end, err := time.Parse(time.RFC3339, in.ExpiresAt)
	if err != nil {
		return rule, agent.InvalidField("expiresAt", "is no time; allowed: one such as 2026-12-31T18:00:00Z, or nothing for a rule that holds for good")
	}
	if !end.After(rule.CreatedAt) {
		return rule, agent.InvalidField("expiresAt", "is over already; take a time to come")
	}
	rule.ExpiresAt = end.UTC().Truncate(time.Millisecond)
	return rule, nil
}
