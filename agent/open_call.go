package agent

import "time"

// openCall is the model call under way: from when it counts, what it costs, and
// what its earlier tries have taken. A call is settled at the prices at which it
// was held, so that it cannot take more than that because a price has changed.
type openCall struct {
	at     time.Time
	price  Price
	priced bool
	// spent is what the tries before this one took, each at its own price.
	spent       Usage
	spentMicros int64
	unpriced    bool
}

// further is the call with a further try: what was spent so far belongs to the
// tries before.
func (c openCall) further(spent Usage, price Price, priced bool) openCall {
	c.spentMicros, c.unpriced = c.cost(spent)
	c.spent, c.price, c.priced = spent, price, priced
	return c
}

// cost is what all tries cost together, and whether a price was missing.
func (c openCall) cost(all Usage) (micros int64, unpriced bool) {
	last := all.without(c.spent)
	return c.spentMicros + c.price.Cost(last), c.unpriced || !c.priced && last.Total() > 0
}

// without is what was taken beside a part of it.
func (u Usage) without(part Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens - part.InputTokens, CachedTokens: u.CachedTokens - part.CachedTokens,
		OutputTokens: u.OutputTokens - part.OutputTokens, ReasoningTokens: u.ReasoningTokens - part.ReasoningTokens,
		Estimated: u.Estimated,
	}
}

// callStep is the step that a call belongs to: an answer that is not begun, and the
// summary before it, are of the step that comes.
func callStep(r Run, kind StepKind) int {
	if r.State.DraftID == "" && (kind == StepAnswer || kind == StepCompaction) {
		return r.Steps + 1
	}
	return r.Steps
}
