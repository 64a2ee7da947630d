package agent

// DecisionDetail is what the audit log says of a decision.
func (a Approval) DecisionDetail(decision Verb) map[string]any {
	detail := map[string]any{"decision": decision, "scope": a.Scope, "comment": a.Comment, "covers": a.Covers}
	if a.Kind == KindBudget {
		detail["budgetId"], detail["raiseTokensBy"], detail["raiseMicrosBy"] = a.BudgetID, a.RaiseTokensBy, a.RaiseMicrosBy
	}
	return detail
}

// CoverScope is how far an approval of a tool call reaches, "" for that call alone.
func (a Approval) CoverScope() Scope {
	if g, ok := GrantOf(a); ok {
		return g.Scope
	}
	return ""
}

// ToldAnswer is the answer as its event tells it: to a question, or the way in which a
// loop goes on. Results and texts of other kinds have events of their own.
func (a Approval) ToldAnswer() string {
	if a.Kind == KindQuestion || a.Kind == KindLoop && a.Decision == DecideResume {
		return a.Answer
	}
	return ""
}
