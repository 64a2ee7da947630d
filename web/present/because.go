package present

import (
	"fusebox/agent"
	"fusebox/views/text"
)

// reasonOf is why a call asks, in the page's language where a built-in rule asks; others
// have a reason of their own.
func reasonOf(tr *text.Printer, ev agent.ToolEvidence, reason string) string {
	rule := ev.Rule
	if rule.Kind != agent.AuthorityBuiltIn {
		return reason
	}
	switch rule.ID {
	case "effect-exec":
		if ev.Command == "" {
			return tr.T("present.reason.exec")
		}
		return tr.T("present.reason.command")
	case "effect-exec-unwalled":
		return tr.T("present.reason.exec_unwalled")
	case "effect-write":
		return tr.T("present.reason.write")
	case "effect-network":
		return tr.T("present.reason.network")
	case "effect-unknown":
		return tr.T("present.reason.unknown")
	case "write-hidden":
		return tr.T("present.reason.hidden")
	case "arguments-unreadable":
		return tr.T("present.reason.unreadable")
	default:
		return reason
	}
}

// becauseOf names the rule that asks.
func becauseOf(tr *text.Printer, rule agent.Authority) string {
	switch rule.Kind {
	case agent.AuthorityRule:
		return tr.T("present.because.standing")
	case agent.AuthorityConfig:
		return tr.T("present.because.config")
	case agent.AuthorityBuiltIn:
		return builtInName(tr, rule.ID)
	default:
		return rule.String()
	}
}

func builtInName(tr *text.Printer, id string) string {
	switch id {
	case "":
		return ""
	case "effect-exec", "effect-exec-unwalled":
		return tr.T("present.because.exec")
	case "effect-write":
		return tr.T("present.because.write")
	case "effect-network", "effect-network-fixed-host":
		return tr.T("present.because.network")
	case "effect-unknown":
		return tr.T("present.because.unknown")
	case "declared-risk":
		return tr.T("present.because.declared")
	case "model-judge":
		return tr.T("present.because.judge")
	case agent.RuleMinConfidence:
		return tr.T("present.because.confidence")
	case "asks-person":
		return tr.T("present.because.person")
	default:
		return tr.T("present.because.arguments")
	}
}
