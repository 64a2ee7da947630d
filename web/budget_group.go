package web

import (
	"fusebox/agent"
	"slices"
)

// standingsWithoutMoney are standings with nothing in them that is money.
func standingsWithoutMoney(standings []agent.Standing) []agent.Standing {
	standings = slices.Clone(standings)
	for i := range standings {
		st := &standings[i]
		st.LimitMicros, st.UsedMicros, st.ReservedMicros, st.RaisedMicros = 0, 0, 0, 0
	}
	return standings
}
