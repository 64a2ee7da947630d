package service

import (
	"context"
	"encoding/json"
	"strings"

	"fusebox/agent"
)

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
		return q, agent.InvalidField("tool", "there is no tool with this name; allowed: %s", s.toolNames())
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

func (s *Rules) toolNames() string {
	var names []string
	for _, t := range s.Tools.Specs() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}
