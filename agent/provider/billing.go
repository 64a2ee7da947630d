package provider

import (
	"context"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
)

// bill adds a try to what was spent.
func (p *Provider) bill(q question, acc *answer.Accumulator) {
	acc.Pay(p.idOf(q.req.Model), p.estimate(q, acc))
}

// authorizeRetry bills a try of which a part had come, and asks whether there
// may be another one.
func (p *Provider) authorizeRetry(ctx context.Context, q *question, acc *answer.Accumulator) error {
	if !acc.Began() {
		return nil
	}
	p.bill(*q, acc)
	return allow(ctx, &q.req, p.idOf(q.req.Model), acc.Bill.Spent)
}

// allow asks the caller for leave to send a further request, which gets the
// output that there is room for.
func allow(ctx context.Context, req *agent.Request, model string, spent agent.Spent) error {
	if req.ReserveRetry == nil {
		return nil
	}
	limit, err := req.ReserveRetry(ctx, model, spent)
	if err != nil {
		return err
	}
	req.MaxTokens = limit
	return nil
}
