package agent

// NamedCost is what an endpoint says that calls of a model cost, beside what they cost by
// the price list.
type NamedCost struct {
	Model       string
	Calls       int64
	NamedMicros int64
	CostMicros  int64
}

// namedPercent is by how many percent both may differ: roundings, and fees.
const namedPercent = 5

// Differs reports whether the price list is off.
func (c NamedCost) Differs() bool {
	off := c.NamedMicros - c.CostMicros
	return max(off, -off)*100 > max(c.NamedMicros, c.CostMicros)*namedPercent
}
