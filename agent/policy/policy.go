package policy

import (
	"encoding/json"
	"fmt"

	"fusebox/agent"
)

// Policy implements agent.Policy with the built-in rules.
type Policy struct{}

// New returns the built-in policy.
func New() *Policy { return &Policy{} }

// Rule decides about one call: its risk first, from the tool's effect and the
// rules over its arguments, then whether that risk asks in the given mode.
func (*Policy) Rule(spec agent.ToolSpec, args json.RawMessage, mode agent.ApprovalMode) agent.Ruling {
	r := byEffect(spec)
	if risky, ok := byArguments(spec, args); ok {
		r.Risk, r.Rule, r.Reason = risky.risk, risky.id, risky.reason
	}
	r.Action = agent.ActionAsk
	if passes(spec, r.Risk, mode) {
		r.Action = agent.ActionAllow
	}
	return r
}

// byEffect is the risk of a call whose arguments are not special.
func byEffect(spec agent.ToolSpec) agent.Ruling {
	rule := "effect-" + string(spec.Effect)
	switch {
	case spec.Effect == agent.EffectRead:
		return agent.Ruling{Risk: agent.RiskLow, Rule: rule, Reason: spec.Name + " only reads."}
	case spec.Effect == agent.EffectNetwork && spec.FixedHost:
		return agent.Ruling{Risk: agent.RiskLow, Rule: "effect-network-fixed-host", Reason: spec.Name + " reaches one fixed host."}
	case spec.Effect == agent.EffectNetwork:
		return agent.Ruling{Risk: agent.RiskMedium, Rule: rule, Reason: spec.Name + " can reach any host."}
	case spec.Effect == agent.EffectWrite:
		return agent.Ruling{Risk: agent.RiskMedium, Rule: rule, Reason: spec.Name + " changes files of the workspace."}
	case spec.Effect == agent.EffectExec:
		return agent.Ruling{Risk: agent.RiskHigh, Rule: rule, Reason: spec.Name + " runs a program."}
	default:
		return agent.Ruling{
			Risk: agent.RiskHigh, Rule: "effect-unknown",
			Reason: fmt.Sprintf("%s declares the effect %q, which nobody knows.", spec.Name, spec.Effect),
		}
	}
}

// passes reports whether a call needs nobody. An unknown effect always asks.
func passes(spec agent.ToolSpec, risk agent.Risk, mode agent.ApprovalMode) bool {
	known := spec.Effect == agent.EffectRead || spec.Effect == agent.EffectWrite ||
		spec.Effect == agent.EffectExec || spec.Effect == agent.EffectNetwork
	switch {
	case !known || risk == agent.RiskCritical:
		return false
	case mode == agent.ModeYolo:
		return true
	case mode == agent.ModeAutoEdit && spec.Effect == agent.EffectWrite:
		// Files are reached through os.Root, so a write is inside the workspace.
		return risk.AtMost(agent.RiskMedium)
	default:
		return risk == agent.RiskLow
	}
}
