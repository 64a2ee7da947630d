package service

import (
	"context"
	"encoding/json"
	"fmt"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// edit takes edited arguments: they are checked against the schema and judged again.
// Where the risk rose, or was high before, they are their author's work, and
// another person has to approve them: the approval is asked again.
func (d *Runs) edit(ctx context.Context, v agent.Viewer, a, to agent.Approval, dec agent.Decision) (agent.ApprovalUpdate, error) {
	args, err := d.Tools.Validate(a.ToolName, string(dec.Args))
	if err != nil {
		return agent.ApprovalUpdate{}, argsError(err)
	}
	q, err := d.questionOf(ctx, a, args)
	if err != nil {
		return agent.ApprovalUpdate{}, err
	}
	verdict := d.Policy.Rule(q)
	if verdict.Action == agent.ActionDeny {
		return agent.ApprovalUpdate{}, agent.InvalidField("args", "are not allowed here: %s", verdict.Reason)
	}
	earlier := a
	earlier.Author = "" // an earlier editor is not the author of these arguments
	others, err := d.others(ctx, v, earlier)
	if err != nil {
		return agent.ApprovalUpdate{}, err
	}
	edited := d.asEdited(a, args, verdict, v)
	edited.AuthorNote = dec.Comment
	careful := !edited.Risk.AtMost(a.Risk) || !a.Risk.AtMost(agent.RiskMedium)
	if careful && (others > 0 || !d.MayDecide(v, edited)) {
		edited.Needs = agent.NeededVotes(edited.Risk, others)
		return agent.ApprovalUpdate{
			To: edited, Events: []agent.EventData{edited.Requested()},
			Audit:  []agent.AuditRow{d.auditRow(v, "approval.edit", edited, map[string]any{"comment": dec.Comment})},
			Notify: agent.ApprovalNotifications(agent.NotifyRequested, edited, to.DecidedAt),
		}, nil
	}
	if edited.Risk == agent.RiskCritical && to.Scope != agent.ScopeOnce {
		return agent.ApprovalUpdate{}, agent.InvalidField("scope", "these arguments are critical: they can only be approved with the scope once")
	}
	to.EditedArgs, to.Risk, to.Evidence = args, edited.Risk, edited.Evidence
	return d.approve(ctx, v, a, to, dec)
}

// questionOf is what policy is asked about an approval's call, now.
func (d *Runs) questionOf(ctx context.Context, a agent.Approval, args []byte) (agent.PolicyRequest, error) {
	// The conversation is read for policy, not for the deciding person.
	conv, err := d.Store.Conversation(ctx, agent.Viewer{Role: agent.RoleAdmin}, a.ConversationID)
	if err != nil {
		return agent.PolicyRequest{}, err
	}
	owner, err := d.Store.UserByID(ctx, conv.OwnerID)
	if err != nil {
		return agent.PolicyRequest{}, err
	}
	rules, err := d.Store.PolicyRules(ctx)
	if err != nil {
		return agent.PolicyRequest{}, err
	}
	spec, known := d.Tools.Lookup(a.ToolName)
	if !known {
		return agent.PolicyRequest{}, agent.Errorf(agent.Conflict, "The tool %s no longer exists.", a.ToolName)
	}
	return agent.PolicyRequest{Spec: spec, Args: args, Mode: conv.ApprovalMode, Owner: owner.Viewer(), Rules: rules}, nil
}

// asEdited is the approval with other arguments, asked of other people. The risk
// that was seen before stays the least it can be.
func (d *Runs) asEdited(a agent.Approval, args []byte, r agent.PolicyVerdict, by agent.Viewer) agent.Approval {
	next := a.Reopened(agent.Stamp(d.Clock), d.Timeout)
	if next.OriginalArgs == nil {
		next.OriginalArgs = a.Args
	}
	next.Args, next.ArgsHash, next.Author = args, fingerprint.Args(string(args), nil), by.Email
	next.Pattern = nil
	next.Message = by.Email + " edited the arguments. " + r.Reason
	if !r.Risk.AtMost(a.Risk) {
		next.Risk = r.Risk
	}
	d.renewEvidence(&next)
	return next
}

// ChangePlan gives a run that waits for a person another plan, of which the model hears in
// its next request. Only the run's own person may. Conflict where the run does not wait,
// Invalid for what the model could not have written down either.
func (d *Runs) ChangePlan(ctx context.Context, v agent.Viewer, runID string, plan agent.PlanArgs) error {
	run, err := d.Store.Run(ctx, v, runID)
	if err != nil {
		return err
	}
	if run.UserID != v.UserID {
		return agent.Errorf(agent.Forbidden, "Only the person who started this run can change its plan.")
	}
	if plan.Plan == nil {
		plan.Plan = []agent.PlanStep{}
	}
	args, err := d.Tools.Validate(agent.UpdatePlanTool, string(agent.MustJSON(plan)))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(args, &plan); err != nil {
		return fmt.Errorf("read a plan that was checked: %w", err)
	}
	return d.Store.ChangePlan(ctx, run.ID, v.Email, plan.Plan)
}
