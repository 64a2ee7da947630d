package loop

import (
	"time"

	"fusebox/agent"
)

// openCall is the model call under way: from when it counts, and what its models
// cost. A call is settled at the prices at which it was held, so that it cannot
// take more than that because a price has changed.
type openCall struct {
	at     time.Time
	prices map[string]heldPrice
}

// heldPrice is a model's price; known is false where nobody knows it.
type heldPrice struct {
	agent.Price
	known bool
}

// hold notes at which price a model's tries are held, the first time that it is asked.
func (c *openCall) hold(model string, price agent.Price, known bool) {
	if c.prices == nil {
		c.prices = map[string]heldPrice{}
	}
	if _, held := c.prices[model]; !held {
		c.prices[model] = heldPrice{price, known}
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
