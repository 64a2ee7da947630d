package provider

import (
	"context"
	"errors"
	"slices"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/wire"
)

// brokenStreams is how many streams of one call may break off inside a tool
// call: some proxies can't stream these at all.
const brokenStreams = 2

var (
	errBrokenChain = errors.New("a tool call was announced and not finished")
	errBrokenCall  = errors.New("the stream broke off inside a tool call")
)

// retryBrokenCalls asks once more for an answer with a broken-off tool call: without
// streaming, and then with a word about it. shown is the broken answer as the
// watcher has it; it gives way once there is a whole one. why is errBrokenCall
// where it was the streams that broke off, and not the answer.
func (p *Provider) retryBrokenCalls(ctx context.Context, q question, shown *answer.Accumulator, why error) (*answer.Accumulator, error) {
	p.bill(q, shown)
	q.as, q.cutAt = inOnePiece, shown.CutAt()
	for n := 1; n <= p.retries.Fallbacks; n++ {
		p.log.WarnContext(ctx, "a tool call broke off, asking without streaming", "attempt", n)
		if err := allow(ctx, &q.req, p.idOf(q.req.Model), shown.Bill.Spent); err != nil {
			return shown, err
		}
		err := shown.Send(agent.Delta{Kind: agent.DeltaFallback, Fallback: agent.FallbackEvent{Reason: "incomplete-tool-chain", Attempt: n}})
		if err != nil {
			return shown, err
		}
		if n == 2 {
			q.history = append(slices.Clip(q.history), agent.Message{Role: agent.FromUser, Content: p.retries.ContinuePrompt})
		}
		next := answer.NewAccumulator(shown.Buffered(), q.req, q.history)
		next.Bill = shown.Bill
		err = p.persist(ctx, q, next)
		if err == nil && next.Unfinished() == 0 {
			if why != nil && n == 1 {
				p.learn(q.req.Model, noStreamWithTools)
			}
			return next, shown.GiveWayTo(next)
		}
		p.bill(q, next)
		shown.Bill = next.Bill
		if err != nil && !errors.Is(err, errBrokenCall) {
			return shown, err
		}
	}
	f := &wire.Failure{Said: "broke its tool calls off", Retryable: true, Err: errBrokenChain}
	return shown, p.giveUp(f, p.retries.Fallbacks+1)
}
