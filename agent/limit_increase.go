package agent

// MayRaise reports whether the viewer may lift the budget that an approval is about.
// That of a run or a conversation is the reviewers' as all of high risk; one that
// an admin has set for users, groups or everyone is for admins only.
func MayRaise(v Viewer, a Approval) bool {
	return v.Role == RoleAdmin || a.BudgetID == "" && v.Role.Reviews()
}
