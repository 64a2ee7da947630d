package service

import (
	"context"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// edit takes edited arguments: they are checked against the schema and judged again.
// Where the risk rose, or was high before, they are their author's work, and
// another person has to approve them: the approval is asked again.
func (s *Approvals) edit(ctx context.Context, v agent.Viewer, a, to agent.Approval, dec agent.Decision) (agent.ApprovalUpdate, error) {
	args, err := s.Tools.Validate(a.ToolName, string(dec.Args))
	if err != nil {
		return agent.ApprovalUpdate{}, argsError(err)
	}
	q, err := s.questionOf(ctx, a, args)
	if err != nil {
		return agent.ApprovalUpdate{}, err
	}
	verdict := s.Policy.Rule(q)
	if verdict.Action == agent.ActionDeny {
		return agent.ApprovalUpdate{}, agent.InvalidField("args", "are not allowed here: %s", verdict.Reason)
	}
	earlier := a
	earlier.Author = "" // an earlier editor is not the author of these arguments
	others, err := s.others(ctx, v, earlier)
	if err != nil {
		return agent.ApprovalUpdate{}, err
	}
	edited := s.asEdited(a, args, verdict, v)
	edited.AuthorNote = dec.Comment
	careful := !edited.Risk.AtMost(a.Risk) || !a.Risk.AtMost(agent.RiskMedium)
	if careful && (others > 0 || !s.MayDecide(v, edited)) {
		edited.Needs = agent.NeededVotes(edited.Risk, others)
		return agent.ApprovalUpdate{
			To: edited, Events: []agent.EventData{edited.Requested()},
			Audit:  []agent.AuditRow{s.auditRow(v, "approval.edit", edited, map[string]any{"comment": dec.Comment})},
			Notify: agent.ApprovalNotifications(agent.NotifyRequested, edited, to.DecidedAt),
		}, nil
	}
	if edited.Risk == agent.RiskCritical && to.Scope != agent.ScopeOnce {
		return agent.ApprovalUpdate{}, agent.InvalidField("scope", "these arguments are critical: they can only be approved with the scope once")
	}
	to.EditedArgs, to.Risk, to.Evidence = args, edited.Risk, edited.Evidence
	return s.approve(ctx, v, a, to, dec)
}

// questionOf is what policy is asked about an approval's call, now.
func (s *Approvals) questionOf(ctx context.Context, a agent.Approval, args []byte) (agent.PolicyRequest, error) {
	// The conversation is read for policy, not for the deciding person.
	conv, err := s.Store.Conversation(ctx, agent.Viewer{Role: agent.RoleAdmin}, a.ConversationID)
	if err != nil {
		return agent.PolicyRequest{}, err
	}
	owner, err := s.Store.UserByID(ctx, conv.OwnerID)
	if err != nil {
		return agent.PolicyRequest{}, err
	}
	rules, err := s.Store.PolicyRules(ctx)
	if err != nil {
		return agent.PolicyRequest{}, err
	}
	spec, known := s.Tools.Lookup(a.ToolName)
	if !known {
		return agent.PolicyRequest{}, agent.Errorf(agent.Conflict, "The tool %s no longer exists.", a.ToolName)
	}
	return agent.PolicyRequest{Spec: spec, Args: args, Mode: conv.ApprovalMode, Owner: owner.Viewer(), Rules: rules}, nil
}

// asEdited is the approval with other arguments, asked of other people. The risk
// that was seen before stays the least it can be.
func (s *Approvals) asEdited(a agent.Approval, args []byte, r agent.PolicyVerdict, by agent.Viewer) agent.Approval {
	next := a.Reopened(agent.Stamp(s.Clock), s.Timeout)
	if next.OriginalArgs == nil {
		next.OriginalArgs = a.Args
	}
	next.Args, next.ArgsHash, next.Author = args, fingerprint.Args(string(args), nil), by.Email
	next.Pattern = nil
	next.Message = by.Email + " edited the arguments. " + r.Reason
	if !r.Risk.AtMost(a.Risk) {
		next.Risk = r.Risk
	}
	s.renewEvidence(&next)
	return next
}
