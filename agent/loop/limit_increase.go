package loop

import "fusebox/agent"

// increaseLimit lifts the limit that an approval was about: the run's own, or an admin's in
// its window. Where no amount is named, the run's limit is granted once more, and
// of an admin's budget what the next step needs, but at least a tenth. What was
// settled because the budget was reset raises nothing.
func (x *execution) increaseLimit(r *agent.Run, a agent.Approval) []agent.LimitIncrease {
	ev, err := a.BudgetEvidence()
	if err != nil {
		x.Log.Error("evidence of a budget approval does not decode", "approval_id", a.ID, "error", err)
	}
	switch {
	case a.DecidedBy == agent.System:
	case ev.Unpriced && ev.BudgetID == "":
		r.State.OwnAnyPrice = true // deciding about a run's budget does not decide about everyone's
	case ev.Unpriced:
		r.State.AnyPrice = true
	case ev.BudgetID != "":
		by := agent.LimitIncrease{BudgetAccount: agent.BudgetAccount{BudgetID: ev.BudgetID, Subject: ev.Subject, StartsAt: ev.StartsAt}, Tokens: a.RaiseTokensBy, Micros: a.RaiseMicrosBy}
		if ev.Money && by.Micros == 0 {
			by.Micros = enough(ev.LimitMicros, ev.NextStepMicros)
		} else if !ev.Money && by.Tokens == 0 {
			by.Tokens = enough(ev.LimitTokens, ev.NextStepTokens)
		}
		return []agent.LimitIncrease{by}
	case ev.Scope == scopeMoney:
		r.Limits.CostMicros += orElse(a.RaiseMicrosBy, max(ev.LimitMicros, ev.NextStepMicros))
	case ev.Scope == string(agent.WhoConversation):
		r.Limits.ConversationTokens += orElse(a.RaiseTokensBy, max(ev.LimitTokens, ev.NextStepTokens))
	default:
		r.Limits.Tokens += orElse(a.RaiseTokensBy, max(ev.LimitTokens, ev.NextStepTokens))
	}
	return nil
}

// enough is what raising a limit adds if no amount is given.
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
