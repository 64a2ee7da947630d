package loop

import (
	"fmt"

	"fusebox/agent"
)

// scopeMoney names the spending budget of a run on approvals and in events.
const scopeMoney = "run_cost"

// shortage is a call that does not fit a budget, with what sentences about it need.
type shortage struct {
	*agent.InsufficientBudget
	model string // the one that is asked next
	email string // of the person the run works for
}

func (x *execution) shortage(why *agent.InsufficientBudget) shortage {
	return shortage{InsufficientBudget: why, model: x.account.model(), email: x.auth.owner.Email}
}

// evidence puts a budget's numbers on the table.
func (s shortage) evidence() agent.BudgetEvidence {
	scope := s.Scope()
	if !s.Shared() && s.Money {
		scope = scopeMoney
	}
	return agent.BudgetEvidence{
		BudgetID: s.ID, Subject: s.Of, SubjectName: s.subjectName(), StartsAt: agent.StampOrZero(s.StartsAt), ResetsAt: agent.StampOrZero(s.EndsAt),
		Money: s.Money, Unpriced: s.Unpriced, Model: s.model, Scope: scope,
		UsedTokens: s.UsedTokens, LimitTokens: s.TokenLimit(), UsedMicros: s.UsedMicros, LimitMicros: s.MicroLimit(),
		ReservedTokens: s.ReservedTokens, ReservedMicros: s.ReservedMicros,
		NextStepTokens: s.NextTokens, NextStepMicros: s.NextMicros,
	}
}

// sentence says what is in the way, with the numbers.
func (s shortage) sentence() string {
	name := s.budgetName()
	switch {
	case s.Unpriced:
		return fmt.Sprintf("The model %s has no price, so the spending budget of %s cannot cover it.", s.model, name)
	case s.Money:
		return fmt.Sprintf("The spending budget of %s would be exceeded: %s of %s spent%s, and the next model call may cost %s.",
			name, agent.MoneyText(s.UsedMicros), agent.MoneyText(s.MicroLimit()), reservedWords(agent.MoneyText(s.ReservedMicros), s.ReservedMicros), agent.MoneyText(s.NextMicros))
	default:
		return fmt.Sprintf("The token budget of %s would be exceeded: %d of %d tokens used%s, and the next model call may need %d.",
			name, s.UsedTokens, s.TokenLimit(), reservedWords(fmt.Sprint(s.ReservedTokens), s.ReservedTokens), s.NextTokens)
	}
}

func reservedWords(text string, amount int64) string {
	if amount == 0 {
		return ""
	}
	return ", " + text + " reserved by calls in progress"
}

// subjectName is the readable name of a shared budget's subject.
func (s shortage) subjectName() string {
	switch s.Who {
	case agent.WhoUser:
		return s.email
	case agent.WhoGroup:
		return s.Of
	default:
		return ""
	}
}

// budgetName names a budget in a sentence.
func (s shortage) budgetName() string {
	return agent.SubjectWords(s.Who, s.subjectName()) + agent.SpanWords(s.Span)
}
