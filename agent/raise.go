package agent

import "encoding/json"

// MayRaise reports whether the viewer may let a run go on past the budget that a
// card is about: an admin always, a reviewer where it is the run's or its
// conversation's own, and not one that an admin has set for several.
func MayRaise(v Viewer, a Approval) bool {
	if v.Role == RoleAdmin {
		return true
	}
	var ev BudgetEvidence
	if a.Kind != KindBudget || json.Unmarshal(a.Evidence, &ev) != nil {
		return false
	}
	return v.Role == RoleReviewer && ev.BudgetID == ""
}
