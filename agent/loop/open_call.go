package loop

import (
	"time"

	"fusebox/agent"
)

// openCall is the model call under way: from when it counts, how long its prompt
// is by our own count, and what its models cost. A call is settled at the prices at which it was reserved, so that it cannot
// take more than that because a price has changed.
type openCall struct {
	at       time.Time
	estimate int64
	prices   map[string]reservedPrice
}

// reservedPrice is a model's price; known is false if it is unknown.
type reservedPrice struct {
	agent.Price
	known bool
}

// reserve notes at which price a model's tries are reserved, the first time that it is asked.
func (c *openCall) reserve(model string, price agent.Price, known bool) {
	if c.prices == nil {
		c.prices = map[string]reservedPrice{}
	}
	if _, ok := c.prices[model]; !ok {
		c.prices[model] = reservedPrice{price, known}
	}
}

// callStep is the step that a call belongs to: an answer that is not begun, and the
// summary before it, are of the step that comes.
func callStep(r agent.Run, kind agent.StepKind) int {
	if r.State.DraftID == "" && (kind == agent.StepAnswer || kind == agent.StepCompaction) {
		return r.Steps + 1
	}
	return r.Steps
}
