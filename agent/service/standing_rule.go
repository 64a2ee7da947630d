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
func (s *Approvals) extend(ctx context.Context, v agent.Viewer, a *agent.Approval, dec agent.Decision) (*agent.PolicyRule, error) {
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
	rule, err := s.standingRule(v, *a, dec)
	if err != nil {
		return nil, err
	}
	q, err := s.questionOf(ctx, *a, a.Args)
	if err != nil {
		return &rule, err
	}
	q.Rules = append(q.Rules, rule)
	q.Files = a.SeenFiles
	if r := s.Policy.Rule(q); r.Action != agent.ActionAllow { // another rule outranks it, or nothing may
		return &rule, agent.InvalidField("scope", "always would have no effect, the next call like this one would still ask: %s", r.Reason)
	}
	return &rule, nil
}

// standingRule is what a decision with the scope always makes: a rule for the person
// the run works for, or for everybody where the decision says so. Where files of the
// workspace decide what the call does, it is for those that were shown.
func (s *Approvals) standingRule(v agent.Viewer, a agent.Approval, dec agent.Decision) (agent.PolicyRule, error) {
	from := a.DecidedAt
	if !a.EffectiveAt.IsZero() {
		from = a.EffectiveAt // until then it can be undone
	}
	rule := agent.PolicyRule{
		ID: s.NewID(), Tool: a.ToolName, Args: a.Covers, Risk: a.Risk, Action: agent.ActionAllow, Source: agent.RuleFromApproval,
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

// Revoke takes back what a decision covers beyond its call: later calls of its
// run or conversation need approval. The conversation's owner may, and reviewers.
// Conflict where it covers nothing, or was revoked before.
func (s *Approvals) Revoke(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error) {
	a, err := s.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	if a.OwnerID != v.UserID && !v.Role.Reviews() {
		return nil, agent.Errorf(agent.Forbidden, "Only the conversation's owner, reviewers and admins can revoke this.")
	}
	if a.Status != agent.ApprovalDecided || a.Scope == "" || a.Scope == agent.ScopeOnce || !a.RevokedAt.IsZero() {
		return nil, showing(a, agent.Errorf(agent.Conflict, "There is nothing to revoke: this decision covers only its own call, or was already revoked."))
	}
	next := *a
	next.RevokedAt, next.RevokedBy = agent.Stamp(s.Clock), v.Email
	return s.Store.ChangeApproval(ctx, agent.ApprovalUpdate{
		To: next,
		Events: []agent.EventData{agent.Notice{
			Message:   v.Email + " revoked what an approval of " + a.ToolName + " covered: later calls need approval.",
			RevokedID: a.ID, RevokedBy: v.Email,
		}},
		Audit: []agent.AuditRow{s.auditRow(v, "approval.revoke", *a, map[string]any{"scope": a.Scope})},
	})
}
