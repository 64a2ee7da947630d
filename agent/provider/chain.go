package provider

import (
	"context"
	"errors"
	"slices"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/wire"
)

// fallbacks is how often an answer whose tool calls broke off is asked for in
// another way.
const fallbacks = 3

// continueChain is said from the second of them on.
const continueChain = "Please continue the tool calls and give the final answer."

var errBrokenChain = errors.New("a tool call was announced and not finished")

// retryBrokenCalls asks once more for an answer with a broken-off tool call: without
// streaming, and then with a word about it. shown is the broken answer as the
// watcher has it; it gives way once there is a whole one.
func (p *Provider) retryBrokenCalls(ctx context.Context, q question, shown *answer.Accumulator) (*answer.Accumulator, error) {
	p.bill(q, shown)
	q.as = inOnePiece
	for n := 1; n <= fallbacks; n++ {
		p.log.WarnContext(ctx, "a tool call broke off, asking without streaming", "attempt", n)
		if err := allow(ctx, &q.req, p.idOf(q.req.Model), shown.Bill.Spent); err != nil {
			return shown, err
		}
		err := shown.Send(agent.Delta{Kind: agent.DeltaFallback, Fallback: agent.FallbackEvent{Reason: "incomplete-tool-chain", Attempt: n}})
		if err != nil {
			return shown, err
		}
		if n == 2 {
			q.history = append(slices.Clip(q.history), agent.Message{Role: agent.FromUser, Content: continueChain})
		}
		next := answer.NewAccumulator(shown.Buffered(), q.req, q.history)
		next.Bill = shown.Bill
		err = p.persist(ctx, q, next)
		if err == nil && next.Unfinished() == 0 {
			return next, shown.GiveWayTo(next)
		}
		p.bill(q, next)
		shown.Bill = next.Bill
		if err != nil {
			return shown, err
		}
	}
	f := &wire.Failure{Said: "broke its tool calls off", Retryable: true, Err: errBrokenChain}
	return shown, p.giveUp(f, fallbacks+1)
}
