package loop

import (
	"fmt"

	"fusebox/agent"
)

// scopeMoney names the money budget of a run on cards and in events.
const scopeMoney = "run_cost"

// budgetEvidence puts a budget's numbers on the table.
func (f *execution) budgetEvidence(why *agent.Short) agent.BudgetEvidence {
	scope := why.Scope()
	if !why.Shared() && why.Money {
		scope = scopeMoney
	}
	return agent.BudgetEvidence{
		BudgetID: why.ID, Subject: why.Of, SubjectName: f.subjectName(why.Standing), StartsAt: agent.StampOrZero(why.StartsAt), ResetsAt: agent.StampOrZero(why.EndsAt),
		Money: why.Money, Unpriced: why.Unpriced, Model: f.model(), Scope: scope,
		UsedTokens: why.UsedTokens, LimitTokens: why.TokenLimit(), UsedMicros: why.UsedMicros, LimitMicros: why.MicroLimit(),
		ReservedTokens: why.ReservedTokens, ReservedMicros: why.ReservedMicros,
		NextStepTokens: why.NextTokens, NextStepMicros: why.NextMicros,
	}
}

// sentence says what is in the way, with the numbers.
func (f *execution) sentence(why *agent.Short) string {
	name := f.budgetName(why.Standing)
	switch {
	case why.Unpriced:
		return fmt.Sprintf("The model %s has no price, so the money budget of %s cannot hold it.", f.model(), name)
	case why.Money:
		return fmt.Sprintf("The money budget of %s would be exceeded: %s of %s are spent%s, and the next model call may cost %s.",
			name, agent.MoneyText(why.UsedMicros), agent.MoneyText(why.MicroLimit()), heldBack(agent.MoneyText(why.ReservedMicros), why.ReservedMicros), agent.MoneyText(why.NextMicros))
	default:
		return fmt.Sprintf("The token budget of %s would be exceeded: %d of %d tokens are used%s, and the next model call may need %d.",
			name, why.UsedTokens, why.TokenLimit(), heldBack(fmt.Sprint(why.ReservedTokens), why.ReservedTokens), why.NextTokens)
	}
}

func heldBack(text string, amount int64) string {
	if amount == 0 {
		return ""
	}
	return ", " + text + " are held by calls under way"
}

// subjectName is whom a shared budget counts for, as people know him.
func (f *execution) subjectName(s agent.Standing) string {
	switch s.Who {
	case agent.WhoUser:
		return f.owner.Email
	case agent.WhoGroup:
		return s.Of
	default:
		return ""
	}
}

// budgetName names a budget in a sentence.
func (f *execution) budgetName(s agent.Standing) string {
	return agent.SubjectWords(s.Who, f.subjectName(s)) + agent.SpanWords(s.Span)
}

// raise lifts the limit that a card was about: the run's own, or an admin's in
// its window. Where no amount is named, the run's limit is granted once more, and
// of an admin's budget what the next step needs, but at least a tenth. What was
// settled because the budget was whole again raises nothing.
func (f *execution) raise(e *agent.Entry, a agent.Approval) {
	var ev agent.BudgetEvidence
	if err := agent.DecodeEvidence(a, &ev); err != nil {
		f.Log.Error("evidence of a budget approval does not decode", "approval_id", a.ID, "error", err)
	}
	switch {
	case a.DecidedBy == agent.System:
	case ev.Unpriced && ev.BudgetID == "":
		e.Run.State.OwnAnyPrice = true // who decides that of a run does not decide that of everybody
	case ev.Unpriced:
		e.Run.State.AnyPrice = true
	case ev.BudgetID != "":
		by := agent.Raise{BudgetAccount: agent.BudgetAccount{BudgetID: ev.BudgetID, Subject: ev.Subject, StartsAt: ev.StartsAt}, Tokens: a.RaiseTokensBy, Micros: a.RaiseMicrosBy}
		if ev.Money && by.Micros == 0 {
			by.Micros = enough(ev.LimitMicros, ev.NextStepMicros)
		} else if !ev.Money && by.Tokens == 0 {
			by.Tokens = enough(ev.LimitTokens, ev.NextStepTokens)
		}
		e.Raises = append(e.Raises, by)
	case ev.Scope == scopeMoney:
		e.Run.Limits.CostMicros += orElse(a.RaiseMicrosBy, max(ev.LimitMicros, ev.NextStepMicros))
	case ev.Scope == string(agent.WhoConversation):
		e.Run.Limits.ConversationTokens += orElse(a.RaiseTokensBy, max(ev.LimitTokens, ev.NextStepTokens))
	default:
		e.Run.Limits.Tokens += orElse(a.RaiseTokensBy, max(ev.LimitTokens, ev.NextStepTokens))
	}
}

// enough is what a raise of a limit adds where nobody says how much.
func enough(limit, next int64) int64 {
	if limit == 0 {
		return 0
	}
	return max(limit/10, next)
}

func orElse(n, otherwise int64) int64 {
	if n > 0 {
		return n
	}
	return otherwise
}
