package answer

import "fusebox/agent"

// Bill is what a model call took so far: void answers are paid for too.
type Bill struct {
	Spent agent.Spent
	Tries int // that are in it
}

// Total is the bill with this try, which adds nothing where nothing of an
// answer came, or where it is in the bill already. What was not reported is estimated.
func (a *Accumulator) Total(model string, estimate func() agent.Usage) Bill {
	try := agent.ModelUsage{Model: model, NamedMicros: a.told.Cost}
	if a.began && !a.billed {
		try.Usage = CompleteUsage(a.told, a.ended, estimate)
	}
	return Bill{Spent: a.Bill.Spent.With(try), Tries: a.Bill.Tries + 1}
}

// Pay adds this try to the bill.
func (a *Accumulator) Pay(model string, estimate func() agent.Usage) {
	a.Bill = a.Total(model, estimate)
	a.billed = true
}
