package present

import (
	"fusebox/agent"
	"fusebox/views/text"
)

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
	case "effect-network", "effect-network-fixed-host", "named-address":
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
