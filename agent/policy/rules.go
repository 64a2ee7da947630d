package policy

import (
	"encoding/json"
	"fmt"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// judgement is what the built-in rules make of a call, before any PolicyRule.
type judgement struct {
	agent.PolicyVerdict
	// sure is false if unknown what the call would do: its effect is
	// unknown, or its arguments cannot be read. It asks, whatever allows it.
	sure bool
}

// apply lets the rules that fit speak about a call. Each of them can raise the
// risk, the first of them in rank decides; without any it stays as judged.
func apply(q agent.PolicyRequest, j judgement, rules []agent.PolicyRule) agent.PolicyVerdict {
	r := j.PolicyVerdict
	var first *agent.PolicyRule
	for i := range rules {
		rule := &rules[i]
		if !fits(*rule, q, j.Risk) {
			continue
		}
		if rule.SetRisk != "" && !rule.SetRisk.AtMost(r.Risk) {
			r.Risk = rule.SetRisk
		}
		if first == nil || before(*rule, *first) {
			first = rule
		}
	}
	if first == nil {
		return r
	}
	r.Action, r.Rule, r.Reason = first.Action, first.Authority(), reason(*first, q, j)
	switch {
	case r.Action != agent.ActionAllow:
	case !r.Risk.AtMost(agent.RiskHigh):
		r.Action, r.Reason = agent.ActionAsk, "A critical call always asks, even if a rule allows it: "+j.Reason
	case !j.sure:
		r.Action, r.Reason = agent.ActionAsk, "A rule allows this, but it is unknown what the call would do: "+j.Reason
	}
	return r
}

// fits reports whether a rule's condition matches a call of a judged risk.
// What allows must match for certain; what restricts need not.
func fits(r agent.PolicyRule, q agent.PolicyRequest, judged agent.Risk) bool {
	matches := r.Args.Touches
	if r.Action == agent.ActionAllow {
		matches = r.Args.Matches
	}
	return (r.Tool == "" || agent.GlobWide(r.Tool, q.Spec.Name)) &&
		(r.Fingerprint == "" || r.Fingerprint == q.Spec.Fingerprint) &&
		(r.Effect == "" || r.Effect == q.Spec.Effect) &&
		(r.Risk == "" || r.Risk == judged || r.Source == agent.RuleFromApproval && judged.AtMost(r.Risk)) &&
		(r.Mode == "" || r.Mode == q.Mode) &&
		r.IsFor(q.Owner) &&
		(r.ArgsHash == "" || r.ArgsHash == fingerprint.Args(string(q.Args), nil)) &&
		matches(q.Args) &&
		r.SameFiles(q)
}

// strictness orders the actions of rules of one priority.
var strictness = map[agent.Action]int{agent.ActionDeny: 2, agent.ActionAsk: 1}

// before reports whether rule a decides where both fit.
func before(a, b agent.PolicyRule) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return strictness[a.Action] > strictness[b.Action]
}

// reason says why a call is allowed, asked about or denied: in the rule's own
// words where it has some.
func reason(r agent.PolicyRule, q agent.PolicyRequest, j judgement) string {
	if r.Reason != "" {
		return r.Reason
	}
	whose := "A rule"
	if r.Source == agent.RuleFromConfig {
		whose = "A rule from the configuration"
	}
	if r.CreatedBy != "" {
		whose += " by " + r.CreatedBy
	}
	switch r.Action {
	case agent.ActionDeny:
		return fmt.Sprintf("%s denies this call of %s.", whose, q.Spec.Name)
	case agent.ActionAllow:
		return fmt.Sprintf("%s allows this call of %s.", whose, q.Spec.Name)
	default:
		return fmt.Sprintf("%s asks about this call of %s: %s", whose, q.Spec.Name, j.Reason)
	}
}

// readable reports whether arguments are an object, as they are for every tool.
func readable(args json.RawMessage) bool {
	var fields map[string]any
	return json.Unmarshal(args, &fields) == nil
}
