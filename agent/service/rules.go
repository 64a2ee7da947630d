package service

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"fusebox/agent"
)

// Rules are the commands about the policy rules of admins and of approvals.
type Rules struct {
	Store  Store
	Tools  agent.Toolbox
	Policy agent.Policy
	Clock  agent.Clock
	NewID  agent.NewID
}

// RuleInput are the fields of a rule that a person sets.
type RuleInput struct {
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

// Add puts a rule in force at once.
func (s *Rules) Add(ctx context.Context, v agent.Viewer, in RuleInput) (agent.PolicyRule, error) {
	rule, err := s.rule(v, in)
	if err != nil {
		return rule, err
	}
	return rule, s.Store.AddPolicyRule(ctx, v, rule)
}

// Change puts a rule in force in place of an old one. It keeps from which
// approval the rule has come: undoing that takes back the changed rule too.
func (s *Rules) Change(ctx context.Context, v agent.Viewer, old agent.PolicyRule, in RuleInput) (agent.PolicyRule, error) {
	rule, err := s.rule(v, in)
	if err != nil {
		return rule, err
	}
	rule.ApprovalID = old.ApprovalID
	if rule.ArgsHash == old.ArgsHash {
		rule.FilesDecide, rule.Files = old.FilesDecide, old.Files
	}
	if rule.Tool == old.Tool {
		rule.Fingerprint = old.Fingerprint
	}
	return rule, s.Store.ChangePolicyRule(ctx, v, old.ID, rule)
}

// Narrow lets a rule of an approval, which was everybody's, be that of the person it
// was made for. Conflict where it names somebody already.
func (s *Rules) Narrow(ctx context.Context, v agent.Viewer, id string) (agent.PolicyRule, error) {
	old, err := s.Store.PolicyRule(ctx, id)
	if err != nil {
		return agent.PolicyRule{}, err
	}
	if old.ApprovalID == "" || old.Who != "" {
		return *old, agent.Errorf(agent.Conflict, "This rule is not one that an approval made for everybody.")
	}
	a, err := s.Store.Approval(ctx, v, old.ApprovalID)
	if err != nil {
		return *old, err
	}
	rule := *old
	rule.ID, rule.Who, rule.RevokedAt, rule.RevokedBy = s.NewID(), a.OwnerEmail, time.Time{}, ""
	return rule, s.Store.ChangePolicyRule(ctx, v, old.ID, rule)
}

// Revoke deactivates a rule. Reviewers revoke rules from
// approvals, admins every rule.
func (s *Rules) Revoke(ctx context.Context, v agent.Viewer, id string) (*agent.PolicyRule, error) {
	rule, err := s.Store.PolicyRule(ctx, id)
	if err != nil {
		return nil, err
	}
	if rule.Source != agent.RuleFromApproval && v.Role != agent.RoleAdmin {
		return nil, agent.Errorf(agent.Forbidden, "Only admins can revoke a rule that an admin created.")
	}
	return rule, s.Store.RevokePolicyRule(ctx, v, rule.ID)
}

// rule checks what a person wrote and makes the rule of it.
func (s *Rules) rule(v agent.Viewer, in RuleInput) (agent.PolicyRule, error) {
	rule := agent.PolicyRule{
		ID: s.NewID(), Tool: strings.TrimSpace(in.Tool), Args: in.Args, ArgsHash: strings.TrimSpace(in.ArgsHash),
		Effect: in.Effect, Risk: in.Risk, Who: strings.TrimSpace(in.Who), Mode: in.Mode, Action: in.Action, SetRisk: in.SetRisk,
		Priority: in.Priority, Reason: strings.TrimSpace(in.Reason),
		Source: agent.RuleFromAdmin, CreatedBy: v.Email, CreatedAt: agent.Stamp(s.Clock),
	}
	if err := rule.Check(); err != nil {
		return rule, err
	}
	if in.ExpiresAt == "" {
		return rule, nil
	}
	end, err := time.Parse(time.RFC3339, in.ExpiresAt)
	if err != nil {
		return rule, agent.InvalidField("expiresAt", "is not a time; allowed: one such as 2026-12-31T18:00:00Z, or nothing for a rule that never expires")
	}
	if !end.After(rule.CreatedAt) {
		return rule, agent.InvalidField("expiresAt", "is in the past; use a time in the future")
	}
	rule.ExpiresAt = end.UTC().Truncate(time.Millisecond)
	return rule, nil
}

// TriedCall is a call that policy is asked about without making it.
type TriedCall struct {
	Tool  string             `json:"tool"`
	Args  json.RawMessage    `json:"args"`
	Mode  agent.ApprovalMode `json:"mode"`
	Owner string             `json:"owner"`
}

// Try asks policy about a call, with the rules that are in force now. Where no
// owner is named it would be the viewer's own.
func (s *Rules) Try(ctx context.Context, v agent.Viewer, in TriedCall) (agent.PolicyVerdict, agent.Pattern, error) {
	q, err := s.request(ctx, v, in)
	if err != nil {
		return agent.PolicyVerdict{}, nil, err
	}
	if q.Rules, err = s.Store.PolicyRules(ctx); err != nil {
		return agent.PolicyVerdict{}, nil, err
	}
	if q.Spec.AsksPerson {
		return agent.PolicyVerdict{Action: agent.ActionAsk, Risk: agent.RiskLow, Rule: agent.BuiltIn("asks-person"), Reason: q.Spec.Name + " always asks a person."}, nil, nil
	}
	r := s.Policy.Rule(q)
	if r.Action != agent.ActionAsk {
		return r, nil, nil
	}
	return r, s.Policy.Pattern(q.Spec, q.Args), nil
}

func (s *Rules) request(ctx context.Context, v agent.Viewer, in TriedCall) (agent.PolicyRequest, error) {
	q := agent.PolicyRequest{Args: in.Args, Mode: in.Mode, Owner: v}
	spec, known := s.Tools.Lookup(in.Tool)
	if !known {
		var names []string
		for _, t := range s.Tools.Specs() {
			names = append(names, t.Name)
		}
		return q, agent.InvalidField("tool", "there is no tool with this name; allowed: %s", strings.Join(names, ", "))
	}
	q.Spec = spec
	if q.Mode == "" {
		q.Mode = agent.ModeDefault
	}
	if !q.Mode.Valid() {
		return q, agent.InvalidField("mode", "%q is not allowed; allowed: %s, %s, %s", q.Mode, agent.ModeDefault, agent.ModeAutoEdit, agent.ModeYolo)
	}
	if len(q.Args) == 0 {
		q.Args = json.RawMessage(`{}`)
	}
	var fields map[string]any
	if json.Unmarshal(q.Args, &fields) != nil || fields == nil {
		return q, agent.InvalidField("args", `is not a JSON object; allowed: the arguments of the call, such as {"command":"go test ./..."}`)
	}
	if in.Owner == "" {
		return q, nil
	}
	u, _, err := s.Store.UserByEmail(ctx, strings.TrimSpace(in.Owner))
	if agent.CodeOf(err) == agent.NotFound {
		return q, agent.InvalidField("owner", "there is no account with this e-mail address")
	}
	if err == nil {
		q.Owner = u.Viewer()
	}
	return q, err
}
