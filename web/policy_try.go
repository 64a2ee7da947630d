package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// triedCall is a call that policy is asked about without making it.
type triedCall struct {
	Tool  string             `json:"tool"`
	Args  json.RawMessage    `json:"args"`
	Mode  agent.ApprovalMode `json:"mode"`
	Owner string             `json:"owner"`
}

// policyTry is POST /api/v1/policy/test: what policy says of a call, and which
// rule decides. Nothing is executed.
func (s *Server) policyTry(c echo.Context) error {
	var in triedCall
	if err := readJSON(c, &in); err != nil {
		return err
	}
	r, pattern, err := s.tryCall(c.Request().Context(), viewerOf(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Action  agent.Action  `json:"action"`
		Risk    agent.Risk    `json:"risk"`
		Rule    string        `json:"rule"`
		Reason  string        `json:"reason"`
		Pattern agent.Pattern `json:"pattern,omitempty"`
	}{r.Action, r.Risk, r.Rule, r.Reason, pattern})
}

// tryCall asks policy about a call, with the rules that are in force now. Where
// nobody is named it would be the viewer's own.
func (s *Server) tryCall(ctx context.Context, v agent.Viewer, in triedCall) (agent.Ruling, agent.Pattern, error) {
	q, err := s.questionOf(ctx, v, in)
	if err != nil {
		return agent.Ruling{}, nil, err
	}
	if q.Rules, err = s.Store.PolicyRules(ctx); err != nil {
		return agent.Ruling{}, nil, err
	}
	if q.Spec.AsksPerson {
		return agent.Ruling{Action: agent.ActionAsk, Risk: agent.RiskLow, Rule: "asks-person", Reason: q.Spec.Name + " asks a person itself."}, nil, nil
	}
	r := s.Desk.Policy.Rule(q)
	if r.Action != agent.ActionAsk {
		return r, nil, nil
	}
	return r, s.Desk.Policy.Pattern(q.Spec, q.Args), nil
}

func (s *Server) questionOf(ctx context.Context, v agent.Viewer, in triedCall) (agent.Question, error) {
	q := agent.Question{Args: in.Args, Mode: in.Mode, Owner: v}
	spec, known := s.Tools.Lookup(in.Tool)
	if !known {
		return q, agent.InvalidField("tool", "there is no tool of this name; allowed: %s", s.toolNames())
	}
	q.Spec = spec
	if q.Mode == "" {
		q.Mode = agent.ModeDefault
	}
	if err := oneOf("mode", q.Mode, agent.ModeDefault, agent.ModeAutoEdit, agent.ModeYolo); err != nil {
		return q, err
	}
	if len(q.Args) == 0 {
		q.Args = json.RawMessage(`{}`)
	}
	var fields map[string]any
	if json.Unmarshal(q.Args, &fields) != nil || fields == nil {
		return q, agent.InvalidField("args", `is no JSON object; allowed: the arguments of the call, such as {"command":"go test ./..."}`)
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

func (s *Server) toolNames() string {
	var names []string
	for _, t := range s.Tools.Specs() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}
