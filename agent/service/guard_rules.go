package service

import (
	"context"
	"slices"
	"strings"

	"fusebox/agent"
)

// maxRuleName bounds the names of tools and fields in a rule, in bytes.
const maxRuleName = 200

// AddRule puts a rule that an admin wrote in force, in place of the one that its
// tool has. The tool need not be known: rules may come before their tools.
func (s *Guards) AddRule(ctx context.Context, v agent.Viewer, rule agent.ToolRule) (agent.GuardRule, error) {
	g := agent.GuardRule{
		ID: s.NewID(), ToolRule: tidyRule(rule), State: agent.RuleActive, Actor: v.Email, At: agent.Stamp(s.Clock),
	}
	if err := checkRule(g.ToolRule); err != nil {
		return g, err
	}
	return g, s.Store.SaveRule(ctx, g)
}

// AcceptRule activates a proposal. Conflict if it is no longer a proposal.
func (s *Guards) AcceptRule(ctx context.Context, v agent.Viewer, id string) (*agent.GuardRule, error) {
	g, err := s.Store.GuardRule(ctx, id)
	if err != nil {
		return nil, err
	}
	switch g.State {
	case agent.RuleActive:
		return nil, agent.Errorf(agent.Conflict, "The rule for %s is already active.", g.Tool)
	case agent.RuleDismissed:
		return nil, agent.Errorf(agent.Conflict, "The rule for %s was dismissed in the meantime.", g.Tool)
	case agent.RuleProposed:
	}
	g.State, g.Actor, g.At = agent.RuleActive, v.Email, agent.Stamp(s.Clock)
	return g, s.Store.SaveRule(ctx, *g)
}

// DismissRule takes a rule out of force, or a proposal off the list, and
// returns it as it was.
func (s *Guards) DismissRule(ctx context.Context, v agent.Viewer, id string) (*agent.GuardRule, error) {
	g, err := s.Store.GuardRule(ctx, id)
	if err != nil {
		return nil, err
	}
	return g, s.Store.DismissRule(ctx, v.Email, g.ID)
}

// tidyRule drops blanks around names, and names that are blank.
func tidyRule(r agent.ToolRule) agent.ToolRule {
	r.Tool = strings.TrimSpace(r.Tool)
	r.Identity, r.Volatile = tidyNames(r.Identity), tidyNames(r.Volatile)
	return r
}

func tidyNames(names []string) []string {
	var out []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// checkRule checks a rule against its bounds; each error names the field.
func checkRule(r agent.ToolRule) error {
	if err := r.Check(); err != nil {
		return err
	}
	tooLong := func(name string) bool { return len(name) > maxRuleName }
	switch {
	case tooLong(r.Tool):
		return agent.InvalidField("tool", "has %d bytes; at most %d are allowed", len(r.Tool), maxRuleName)
	case slices.ContainsFunc(r.Identity, tooLong):
		return agent.InvalidField("identity", "has a name that is too long; at most %d bytes are allowed", maxRuleName)
	case slices.ContainsFunc(r.Volatile, tooLong):
		return agent.InvalidField("volatile", "has a name that is too long; at most %d bytes are allowed", maxRuleName)
	case r.Warning > 0 && r.Critical > 0 && r.Critical <= r.Warning:
		return agent.InvalidField("critical", "is %d; it must be above warning, %d", r.Critical, r.Warning)
	}
	return nil
}
