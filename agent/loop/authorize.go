package loop

import (
	"slices"
	"time"

	"fusebox/agent"
)

// authorizer decides whether a call may run: by policy, by what people have
// granted and by what they have refused.
type authorizer struct {
	*rows
	tools  *callTools
	policy agent.Policy
	owner  agent.Viewer // whom the run works for
	grants []agent.Grant
	rules  []agent.PolicyRule
}

// verdict asks policy about a call.
func (au *authorizer) verdict(spec agent.ToolSpec, c agent.ToolCall) agent.Ruling {
	return au.policy.Rule(agent.Question{
		Spec: spec, Args: agent.RawArgs(c.Args), Mode: au.conv.ApprovalMode, Owner: au.owner, Rules: au.rules, Judged: au.opinionOf(c),
	})
}

// refresh reads which rules are in force now, and what asks at all: a run
// may last longer than one of them.
func (au *authorizer) refresh() error {
	ctx, cancel := commitContext()
	defer cancel()
	rules, err := au.journal.PolicyRules(ctx)
	if err != nil {
		return err
	}
	au.rules = rules
	au.conv.ApprovalMode, err = au.journal.ApprovalMode(ctx, au.conv.ID)
	return err
}

// granted finds an earlier decision that covers a call. It does not outrank a
// rule that asks and is newer than the decision.
func (au *authorizer) granted(c agent.ToolCall, r agent.Ruling) (agent.Grant, bool) {
	since := au.askedSince(r)
	for _, g := range au.grants {
		if g.Fits(c, r.Risk) && !g.DecidedAt.Before(since) {
			return g, true
		}
	}
	return agent.Grant{}, false
}

// askedSince is when the rule was made that asks, zero where policy asks by itself.
func (au *authorizer) askedSince(r agent.Ruling) time.Time {
	for _, rule := range au.rules {
		if r.Rule == rule.Authority() {
			return rule.CreatedAt
		}
	}
	return time.Time{}
}

// lets reports whether a person lets a call run that policy asks about: by the
// decision about it, or by one that covers it.
func (au *authorizer) lets(c agent.ToolCall, r agent.Ruling) bool {
	if c.Rule.Kind == agent.AuthorityScope {
		_, covered := au.granted(c, r)
		return covered
	}
	au.approvals.mu.Lock()
	defer au.approvals.mu.Unlock()
	id := c.Rule.ApprovalID()
	return slices.ContainsFunc(au.approvals.list, func(a agent.Approval) bool { return a.ID == id && r.Risk.AtMost(a.Risk) })
}

// stillRefused reports whether a call that a breaker held back, and that may go
// on, is one that a person refused before: who lets the run go on does not decide
// that anew.
func (au *authorizer) stillRefused(c agent.ToolCall) bool {
	au.approvals.mu.Lock()
	defer au.approvals.mu.Unlock()
	id := c.Rule.ApprovalID()
	held := slices.ContainsFunc(au.approvals.list, func(a agent.Approval) bool { return a.ID == id && a.Kind == agent.KindLoop })
	return held && au.approvals.refused(c)
}

// opinionOf is what the risk model thinks of a call, nil for nothing.
func (au *authorizer) opinionOf(c agent.ToolCall) *agent.Judged {
	j, ok := au.run.State.Risks[c.ID]
	if !ok || au.run.State.RiskStep != c.Step {
		return nil
	}
	return &j
}
