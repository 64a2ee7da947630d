package present

import (
	"slices"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
)

// GiveHint is the way to go on after a loop with words for the model: resuming plainly,
// with a comment.
const GiveHint = "hint"

// choicesOf are the options of a card: the agent's own in its words. Those of a loop are put in the order in which
// they help: what ends it first, what repeats it last.
func choicesOf(tr *text.Printer, a agent.Approval, tokensOnly bool) []part.Choice {
	if a.Kind != agent.KindLoop {
		choices := make([]part.Choice, len(a.Options))
		for i, o := range a.Options {
			choices[i] = part.Choice{ID: o.ID, Label: invisible.Visible(o.Label)}
		}
		return choices
	}
	options := slices.Clone(a.Options)
	if slices.ContainsFunc(options, func(o agent.Option) bool { return o.ID == agent.ResumePlain }) {
		options = append(options, agent.Option{ID: GiveHint})
	}
	slices.SortStableFunc(options, func(x, y agent.Option) int { return helps[x.ID] - helps[y.ID] })
	choices := make([]part.Choice, len(options))
	for i, o := range options {
		choices[i] = loopChoice(tr, a, o)
		if choices[i].Costs {
			choices[i].Cost = stepCost(tr, a, tokensOnly)
		}
	}
	return choices
}

// helps ranks the ways to go on after a loop, the best first.
var helps = map[string]int{agent.ResumeFinishNow: 1, GiveHint: 2, agent.ResumeAllowMore: 3, agent.ResumeAsPolling: 4, agent.ResumePlain: 5}

func loopChoice(tr *text.Printer, a agent.Approval, o agent.Option) part.Choice {
	c := part.Choice{ID: o.ID, Costs: true, More: o.ID != agent.ResumeFinishNow && o.ID != GiveHint}
	switch o.ID {
	case GiveHint:
		c.Label, c.Guides = tr.T("present.option.hint"), true
		if c.Hint = tr.T("present.option.hint_hint"); a.ToolCallID == "" {
			c.Hint = tr.T("present.option.hint_hint_answer")
		}
	case agent.ResumePlain:
		c.Label = tr.T("present.option.plain")
		if c.Hint = tr.T("present.option.plain_hint"); a.ToolCallID == "" {
			c.Hint = tr.T("present.option.plain_hint_answer")
		}
	case agent.ResumeAllowMore:
		c.Label, c.Hint, c.Counts = tr.T("present.option.allow_more"), tr.T("present.option.allow_more_hint"), true
	case agent.ResumeAsPolling:
		c.Label, c.Hint, c.Costs = tr.T("present.option.polling"), tr.T("present.option.polling_hint"), false
	case agent.ResumeFinishNow:
		c.Label, c.Hint = tr.T("present.option.finish_now"), tr.T("present.option.finish_now_hint")
	default:
		c.Label, c.Costs = invisible.Visible(o.Label), false
	}
	return c
}

// stepCost is what one more step costs: as much as the newest that is known.
func stepCost(tr *text.Printer, a agent.Approval, tokensOnly bool) string {
	ev, err := a.LoopEvidence()
	if err != nil {
		return ""
	}
	for _, c := range slices.Backward(ev.Calls) {
		switch {
		case c.Tokens == 0:
		case tokensOnly || c.CostMicros == 0:
			return tr.T("present.option.step_tokens", tr.Amount(c.Tokens))
		default:
			return tr.T("present.option.step_cost", tr.Amount(c.Tokens), Money(c.CostMicros))
		}
	}
	return ""
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
	case "effect-write-documents":
		return tr.T("present.because.documents")
	case "effect-network", "effect-network-fixed-host", "named-address":
		return tr.T("present.because.network")
	case "effect-unknown":
		return tr.T("present.because.unknown")
	case "declared-risk":
		return tr.T("present.because.declared")
	case "model-judge":
		return tr.T("present.because.judge")
	case "untrusted-text":
		return tr.T("present.because.untrusted")
	case "repeated-effect":
		return tr.T("present.because.repeated")
	case agent.RuleMinConfidence:
		return tr.T("present.because.confidence")
	case "asks-person":
		return tr.T("present.because.person")
	default:
		return tr.T("present.because.arguments")
	}
}
