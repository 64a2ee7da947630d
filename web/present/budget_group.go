package present

import (
	"slices"

	"fusebox/agent"
)

// StandingsWithoutMoney are standings with nothing in them that is money.
func StandingsWithoutMoney(standings []agent.BudgetStatus) []agent.BudgetStatus {
	standings = slices.Clone(standings)
	for i := range standings {
		st := &standings[i]
		st.LimitMicros, st.UsedMicros, st.ReservedMicros, st.RaisedMicros = 0, 0, 0, 0
	}
	return standings
}

// ByBudget puts the standings of each budget together, the fullest first.
func ByBudget(standings []agent.BudgetStatus) [][]agent.BudgetStatus {
	var all [][]agent.BudgetStatus
	for _, st := range standings {
		if n := len(all); n > 0 && all[n-1][0].ID == st.ID {
			all[n-1] = append(all[n-1], st)
		} else {
			all = append(all, []agent.BudgetStatus{st})
		}
	}
	for _, accounts := range all {
		FullestFirst(accounts)
	}
	return all
}
