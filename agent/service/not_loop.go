package service

import (
	"context"

	"fusebox/agent"
)

// NotLoop marks a decided loop approval as not a loop, and proposes
// the rule that would have prevented it. Forbidden for people who may not
// decide it, Conflict for other approvals and for what is noted already.
func (s *Guards) NotLoop(ctx context.Context, v agent.Viewer, approvalID string) (agent.GuardRule, error) {
	a, err := s.Runs.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return agent.GuardRule{}, err
	}
	switch {
	case !s.Runs.MayDecide(v, *a):
		return agent.GuardRule{}, agent.Errorf(agent.Forbidden, "Only people who may decide this approval can mark it as not a loop.")
	case a.Kind != agent.KindLoop:
		return agent.GuardRule{}, agent.Errorf(agent.Conflict, "This approval is not about a loop.")
	case a.Status != agent.ApprovalDecided:
		return agent.GuardRule{}, agent.Errorf(agent.Conflict, "Decide the approval first, then mark it as not a loop.")
	}
	g := agent.GuardRule{
		ID: s.NewID(), ToolRule: agent.ProposedRule(*a), State: agent.RuleProposed,
		ApprovalID: a.ID, Actor: v.Email, At: agent.Stamp(s.Clock),
	}
	return g, s.Store.ProposeRule(ctx, g)
}
