package service

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"fusebox/agent"
)

// extend adds what an approval covers beyond its call: a pattern, or a rule,
// which it returns.
func (d *Runs) extend(ctx context.Context, v agent.Viewer, a *agent.Approval, dec agent.Decision) (*agent.PolicyRule, error) {
	switch {
	case a.Kind != agent.KindTool || (a.Scope != agent.ScopeConversation && a.Scope != agent.ScopeAlways):
		return nil, nil
	case len(dec.Pattern) > 0 && !maps.Equal(dec.Pattern, a.Pattern):
		return nil, agent.InvalidField("pattern", "is not the one that the approval proposes; leave it out to cover exactly these arguments")
	}
	a.Covers = dec.Pattern
	if a.Scope != agent.ScopeAlways {
		return nil, nil
	}
	if !v.Role.Reviews() {
		return nil, agent.Errorf(agent.Forbidden, "Only reviewers and admins can create a standing rule.")
	}
	rule, err := d.standingRule(v, *a, dec)
	if err != nil {
		return nil, err
	}
	return &rule, d.checkStandingRule(ctx, *a, rule)
}

// standingRule is what a decision with the scope always makes: a rule for the person
// the run works for, or for everybody where the decision says so. Where files of the
// workspace decide what the call does, it is for those that were shown.
func (d *Runs) standingRule(v agent.Viewer, a agent.Approval, dec agent.Decision) (agent.PolicyRule, error) {
	from := a.DecidedAt
	if !a.EffectiveAt.IsZero() {
		from = a.EffectiveAt // until then it can be undone
	}
	rule := agent.PolicyRule{
		ID: d.NewID(), Tool: a.ToolName, Args: a.Covers, Risk: a.Risk, Action: agent.ActionAllow, Source: agent.RuleFromApproval,
		Who: a.OwnerEmail, ApprovalID: a.ID, CreatedBy: v.Email, CreatedAt: from,
		ExpiresAt: from.AddDate(0, 0, cmp.Or(dec.Days, agent.DefaultRuleDays)),
	}
	if dec.For == agent.ForEverybody {
		rule.Who = ""
	} else if rule.Who == "" || strings.Contains(rule.Who, "*") {
		return rule, agent.InvalidField("for", "this account has no address that a rule can name; decide with the scope conversation")
	}
	rule.Reason = "Approved by " + v.Email + " for " + cmp.Or(rule.Who, string(agent.ForEverybody)) + "."
	if len(rule.Args) == 0 {
		rule.ArgsHash = a.ArgsHash
	}
	if ev, err := a.ToolEvidence(); err == nil {
		rule.Fingerprint = ev.Fingerprint
		if ev.FilesDecide {
			rule.FilesDecide, rule.Files = true, ev.Files
		}
	}
	return rule, nil
}

// checkStandingRule refuses a standing rule that would not allow the very call that it
// is made for: where another rule outranks it, or nothing may.
func (d *Runs) checkStandingRule(ctx context.Context, a agent.Approval, rule agent.PolicyRule) error {
	q, err := d.questionOf(ctx, a, a.Args)
	if err != nil {
		return err
	}
	q.Rules = append(q.Rules, rule)
	q.Files = a.SeenFiles
	if r := d.Policy.Rule(q); r.Action != agent.ActionAllow {
		return agent.InvalidField("scope", "always would have no effect, the next call like this one would still ask: %s", r.Reason)
	}
	return nil
}
