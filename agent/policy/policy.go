package policy

import (
	"fmt"
	"slices"

	"fusebox/agent"
)

// Policy implements agent.Policy: built-in judgement of the risk first, then the
// rules of the configuration and those that come with a question.
type Policy struct {
	config []agent.PolicyRule
}

// New returns a policy with the rules of the configuration. They are checked
// already (agent.PolicyRule.Check).
func New(config ...agent.PolicyRule) *Policy {
	p := &Policy{config: slices.Clone(config)}
	for i := range p.config {
		p.config[i].Source = agent.RuleFromConfig
	}
	return p
}

// Rules are those of the configuration.
func (p *Policy) Rules() []agent.PolicyRule { return slices.Clone(p.config) }

// Rule decides about one call: its risk first, from the tool's effect, from
// what the tool declares and from the arguments, of which each
// can only raise it; then whether that risk asks in the given mode, or because
// of what the model has read; then the rules of people have their say.
func (p *Policy) Rule(q agent.PolicyRequest) agent.PolicyVerdict {
	return apply(q, judge(q), slices.Concat(p.config, q.Rules))
}

// Usual is the verdict on a tool's calls in a mode as long as nothing in their
// arguments is special and no PolicyRule fits.
func Usual(spec agent.ToolSpec, mode agent.ApprovalMode) agent.PolicyVerdict {
	r, known := byTool(spec)
	return byMode(r, known, spec, mode)
}

// judge is the verdict on a call that no PolicyRule matches.
func judge(q agent.PolicyRequest) judgement {
	r, known := byTool(q.Spec)
	if q.Named && q.Spec.Effect == agent.EffectNetwork {
		r = agent.PolicyVerdict{Risk: agent.RiskLow, Rule: agent.BuiltIn("named-address"), Reason: "A person or an earlier result has named this address."}
	}
	if f, ok := byArguments(q.Spec, q.Args); ok {
		r = raise(r, f)
	}
	if q.Judged != nil {
		r = raise(r, finding{"model-judge", q.Judged.Risk, agent.JudgedBy + q.Judged.Reason})
	}
	r = byMode(r, known, q.Spec, q.Mode)
	if q.Untrusted && r.Action == agent.ActionAllow && carriesOut(q) {
		r.Action, r.Rule = agent.ActionAsk, agent.BuiltIn("untrusted-text")
		r.Reason = "In this chat the agent has read text of the web or of documents, which may have given it orders. Check that this is what you asked for."
	}
	if r.Action == agent.ActionAllow && q.Spec.Effect != agent.EffectRead && !q.Spec.Idempotent && q.Repeated != nil && q.Repeated() {
		r.Action, r.Rule = agent.ActionAsk, agent.BuiltIn("repeated-effect")
		r.Reason = "Another agent of this task made this very call before it ended without being done. Check what has happened before you let it happen again."
	}
	return judgement{PolicyVerdict: r, sure: known && readable(q.Args)}
}

// carriesOut reports whether a call has an effect, or can carry data to where a text wants it.
func carriesOut(q agent.PolicyRequest) bool {
	if q.Spec.Effect == agent.EffectNetwork {
		return !q.Spec.FixedHost && !q.Named
	}
	return q.Spec.Effect != agent.EffectRead
}

// byTool is the risk that a tool declares, and whether its effect is known.
func byTool(spec agent.ToolSpec) (r agent.PolicyVerdict, known bool) {
	r, known = byEffect(spec)
	if spec.Risk != "" {
		r = raise(r, finding{"declared-risk", spec.Risk, fmt.Sprintf("%s declares itself to be of %s risk.", spec.Name, spec.Risk)})
	}
	return r, known
}

// byMode says whether a risk asks. What runs programs without walls asks in every mode.
func byMode(r agent.PolicyVerdict, known bool, spec agent.ToolSpec, mode agent.ApprovalMode) agent.PolicyVerdict {
	r.Action = agent.ActionAsk
	if known && !spec.Unwalled && passes(spec, r.Risk, mode) {
		r.Action = agent.ActionAllow
	}
	return r
}

// raise lets a finding speak if it is of a higher risk. A risk that nobody
// knows is the highest.
func raise(r agent.PolicyVerdict, f finding) agent.PolicyVerdict {
	if f.risk.AtMost(r.Risk) {
		return r
	}
	if !f.risk.AtMost(agent.RiskCritical) {
		f.risk = agent.RiskCritical
	}
	return agent.PolicyVerdict{Risk: f.risk, Rule: agent.BuiltIn(f.id), Reason: f.reason}
}

// effectRules are the risks of calls whose arguments are not special; the first
// that fits speaks.
var effectRules = []struct {
	effect agent.Effect
	only   func(agent.ToolSpec) bool // for which tools; nil for all of this effect
	finding
}{
	{agent.EffectRead, nil, finding{"effect-read", agent.RiskLow, "%s only reads."}},
	{agent.EffectNetwork, func(s agent.ToolSpec) bool { return s.FixedHost }, finding{"effect-network-fixed-host", agent.RiskLow, "%s reaches one fixed host."}},
	{agent.EffectNetwork, nil, finding{"effect-network", agent.RiskMedium, "%s can reach any host."}},
	{agent.EffectWrite, func(s agent.ToolSpec) bool { return s.OwnMemory }, finding{"effect-write-memory", agent.RiskLow, "%s changes only what is remembered of the person, who sees it and can undo it."}},
	{agent.EffectWrite, func(s agent.ToolSpec) bool { return s.OwnDocuments }, finding{"effect-write-documents", agent.RiskMedium, "%s saves a note among the person's documents."}},
	{agent.EffectWrite, nil, finding{"effect-write", agent.RiskMedium, "%s changes files in the workspace."}},
	{agent.EffectExec, func(s agent.ToolSpec) bool { return s.Unwalled }, finding{"effect-exec-unwalled", agent.RiskHigh, "%s runs a program on the server, and nothing keeps it from the server's own files."}},
	{agent.EffectExec, nil, finding{"effect-exec", agent.RiskHigh, "%s runs a program on the server."}},
}

// byEffect is the risk that the tool's effect alone makes, and whether that
// effect is known.
func byEffect(spec agent.ToolSpec) (r agent.PolicyVerdict, known bool) {
	for _, e := range effectRules {
		if e.effect == spec.Effect && (e.only == nil || e.only(spec)) {
			return agent.PolicyVerdict{Risk: e.risk, Rule: agent.BuiltIn(e.id), Reason: fmt.Sprintf(e.reason, spec.Name)}, true
		}
	}
	says := fmt.Sprintf("%s declares the unknown effect %q.", spec.Name, spec.Effect)
	if spec.Effect == agent.EffectUnknown {
		says = fmt.Sprintf("Nobody has judged yet what %s does.", spec.Name)
	}
	return agent.PolicyVerdict{Risk: agent.RiskHigh, Rule: agent.BuiltIn("effect-unknown"), Reason: says}, false
}

// passes reports whether a call of a tool with a known effect needs no approval.
func passes(spec agent.ToolSpec, risk agent.Risk, mode agent.ApprovalMode) bool {
	switch {
	case risk == agent.RiskCritical:
		return false
	case mode == agent.ModeYolo:
		return true
	case mode == agent.ModeAutoEdit && spec.Effect == agent.EffectWrite && !spec.OwnDocuments:
		// Files are reached through os.Root, so a write is inside the workspace.
		return risk.AtMost(agent.RiskMedium)
	default:
		return risk == agent.RiskLow
	}
}
