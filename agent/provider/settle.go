package provider

import (
	"context"

	"fusebox/agent"
)

// used is what a try took: nothing where nothing of an answer came, or where
// it is in the bill already.
func (p *Provider) used(q question, acc *accumulator) agent.Usage {
	if !acc.began || acc.billed {
		return agent.Usage{}
	}
	return acc.told.settle(acc.ended, func() agent.Usage { return p.estimate(q, acc) })
}

// bill adds a try to what was spent: a void answer is paid for too.
func (p *Provider) bill(q question, acc *accumulator) {
	acc.spent = acc.spent.With(p.idOf(q.req.Model), p.used(q, acc))
	acc.billed = true
	acc.tries++
}

// again settles a try of which a part had come, and asks whether there may be
// another one.
func (p *Provider) again(ctx context.Context, q *question, acc *accumulator) error {
	if !acc.began {
		return nil
	}
	p.bill(*q, acc)
	return allow(ctx, &q.req, p.idOf(q.req.Model), acc.spent)
}

// allow asks the caller for leave to send a further request, which gets the
// output that there is room for.
func allow(ctx context.Context, req *agent.Request, model string, spent agent.Spent) error {
	if req.Again == nil {
		return nil
	}
	limit, err := req.Again(ctx, model, spent)
	if err != nil {
		return err
	}
	req.MaxTokens = limit
	return nil
}
