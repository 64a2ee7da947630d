package provider

import (
	"context"
	"errors"
	"slices"
	"strings"

	"fusebox/agent"
)

// fallbacks is how often an answer whose tool calls broke off is asked for in
// another way.
const fallbacks = 3

// continueChain is said from the second of them on.
const continueChain = "Please continue the tool calls and give the final answer."

var errBrokenChain = errors.New("a tool call was announced and not finished")

// mend asks once more for an answer of which a tool call broke off: without
// streaming, and then with a word about it. shown is the broken answer as the
// watcher has it; it gives way once there is a whole one.
func (p *Provider) mend(ctx context.Context, q question, shown *accumulator) (*accumulator, error) {
	p.bill(q, shown)
	q.as = inOnePiece
	for n := 1; n <= fallbacks; n++ {
		p.log.WarnContext(ctx, "a tool call broke off, asking without streaming", "attempt", n)
		if err := allow(ctx, &q.req, p.idOf(q.req.Model), shown.spent); err != nil {
			return shown, err
		}
		err := shown.send(agent.Delta{Kind: agent.DeltaFallback, Fallback: agent.FallbackEvent{Reason: "incomplete-tool-chain", Attempt: n}})
		if err != nil {
			return shown, err
		}
		if n == 2 {
			q.history = append(slices.Clip(q.history), agent.Message{Role: agent.FromUser, Content: continueChain})
		}
		next := newAccumulator(shown.out.buffered(), q.req, q.history)
		next.spent, next.tries = shown.spent, shown.tries
		err = p.persist(ctx, q, next)
		if err == nil && next.unfinished == 0 {
			return next, shown.giveWay(next)
		}
		p.bill(q, next)
		shown.spent, shown.tries = next.spent, next.tries
		if err != nil {
			return shown, err
		}
	}
	f := &failure{said: "broke its tool calls off", retryable: true, err: errBrokenChain}
	return shown, p.giveUp(f, fallbacks+1)
}

// giveWay puts another answer, which was buffered, in the place of the one that
// was shown. Where the new text begins with the shown one, only the rest is sent.
func (a *accumulator) giveWay(next *accumulator) error {
	stands := len(a.content.String())
	if !a.textOnly() || !strings.HasPrefix(next.content.String(), a.content.String()) {
		stands = 0
		if err := sunk(a.out.reset()); err != nil {
			return err
		}
	}
	for _, d := range next.out.buffer {
		if d.Kind == agent.DeltaText && stands > 0 {
			skip := min(stands, len(d.Text))
			stands -= skip
			if d.Text = d.Text[skip:]; d.Text == "" {
				continue
			}
		}
		if err := a.send(d); err != nil {
			return err
		}
	}
	return nil
}

// textOnly reports whether nothing but text was shown.
func (a *accumulator) textOnly() bool { return !a.announced && a.reasoning.Len() == 0 }
