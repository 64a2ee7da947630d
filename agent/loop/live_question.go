package loop

import (
	"context"
	"time"

	"fusebox/agent"
)

// performLive runs a call that may ask the person while it runs.
func (ex *executor) performLive(ctx context.Context, owner mailbox, in agent.ToolInput, o *performed) {
	c := o.call
	l := ex.flight.startLive(ctx, c, func(ctx context.Context, l *liveCall) (res agent.ToolResult) {
		defer caught(ex.log, c, &res)
		in.Ask, in.Progress = l.ask, l.progress
		return ex.tools.Execute(ctx, c.Name, in)
	})
	ex.attend(ctx, owner, l, o)
}

// attend stays with a live call until it has a result, or asks the person: then the run
// lets go of it, and the call waits in this process for what they decide.
func (ex *executor) attend(ctx context.Context, owner mailbox, l *liveCall, o *performed) {
	out := ex.output(owner)
	l.attended(func(chunk string) {
		_ = out.push(agent.ToolResultDelta{ToolCallID: o.call.ID, Delta: chunk}) // a write that failed comes out of close
	})
	defer context.AfterFunc(ctx, func() { l.cancel(context.Cause(ctx)) })()
	o.live = l
	select {
	case <-l.ended:
	case o.asks = <-l.questions:
	}
	l.hold(o.asks)
	if o.shown, o.err = out.close(); o.asks != nil {
		return
	}
	o.res, o.cancelledBy = l.res, cancelledBy(l.ctx, l.res)
	ex.flight.forget(o.call.IdempotencyKey(), nil)
}

// askFor puts a server's question before the person. The card is stored before anything
// may withdraw it.
func (ex *executor) askFor(o performed) error {
	shown, card := agent.Change{Events: events(o.shown...)}, ex.requests.aboutServer(o.call, o.asks.ServerQuestion)
	if err := ex.commit(shown.Then(ex.requests.open("", card))); err != nil {
		return err
	}
	go ex.watchQuestion(o.call, o.live, o.asks, card)
	return nil
}

// How long an overdue question keeps its call open, for a decision that is being applied,
// and how long it may take to withdraw one.
const (
	questionGrace = time.Minute
	withdrawTime  = 30 * time.Second
)

// watchQuestion withdraws a question that the server does not wait for any more, and ends
// the call of one that nobody answers.
func (ex *executor) watchQuestion(c agent.ToolCall, l *liveCall, q *openQuestion, card agent.Approval) {
	select {
	case <-q.done:
	case <-l.ended:
	case <-ex.clock.After(card.ExpiresAt.Sub(card.RequestedAt) + questionGrace):
		ex.flight.forget(c.IdempotencyKey(), errUnanswered)
		return
	}
	if !l.waits() || ex.withdraw == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), withdrawTime)
	defer cancel()
	if err := ex.withdraw(ctx, card.ID, q.Server+" does not wait for an answer any more."); err != nil {
		ex.log.Error("withdrawing a question failed", "error", err, "run_id", c.RunID, "approval_id", card.ID)
	}
}

// unattended is the first executing call that nobody is being asked about, or nil.
func (ex *executor) unattended() *agent.ToolCall {
	for _, c := range ex.calls.open() {
		if c.State != agent.CallExecuting {
			continue
		}
		if l := ex.flight.liveCall(c); l == nil || !l.waits() {
			return &c
		}
	}
	return nil
}

// continueCall goes on with a call whose question was decided. One that was lost meanwhile
// is judged as after a restart.
func (ex *executor) continueCall(ctx context.Context, c agent.ToolCall) error {
	l := ex.flight.liveCall(c)
	if l == nil {
		return ex.commit(ex.recoverCall(c))
	}
	if err := ex.flush(); err != nil { // it may take long
		return err
	}
	b := newBatch(ex.log)
	defer close(b.left)
	b.start(c, false, func(o *performed) { ex.attend(ctx, b.mailbox, l, o) })
	return ex.take(ctx, b, true)
}
