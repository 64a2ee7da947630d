package agent

// MayRaise reports whether the viewer may lift the budget that a card is about.
// That of a run or a conversation is the reviewers' as all of high risk; one that
// an admin has set for users, groups or everybody is the admins' alone.
func MayRaise(v Viewer, a Approval) bool {
	return v.Role == RoleAdmin || a.BudgetID == "" && v.Role.Reviews()
}
