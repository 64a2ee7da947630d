package provider

import "fusebox/agent"

// bill is what a model call took so far: void answers are paid for too.
type bill struct {
	spent agent.Spent
	tries int // that are in it
}

// total is the bill with this try, which adds nothing where nothing of an
// answer came, or where it is in the bill already. What was not told is estimated.
func (a *accumulator) total(model string, estimate func() agent.Usage) bill {
	var used agent.Usage
	if a.began && !a.billed {
		used = completeUsage(a.told, a.ended, estimate)
	}
	return bill{spent: a.bill.spent.With(model, used), tries: a.bill.tries + 1}
}

// pay adds this try to the bill.
func (a *accumulator) pay(model string, estimate func() agent.Usage) {
	a.bill = a.total(model, estimate)
	a.billed = true
}
