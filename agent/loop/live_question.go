package loop

import (
	"context"
	"time"

	"fusebox/agent"
)

// performLive runs a claimed call that may ask the person while it runs.
func (ex *executor) performLive(ctx context.Context, c agent.ToolCall) (effects, agent.Change, error) {
	in := toolInput(c)
	in.Tools = ex.view.permitted
	in.Started = func(process string) error { return ex.startedProcess(c, process) }
	l := ex.flight.startLive(ctx, c, func(ctx context.Context, l *liveCall) agent.ToolResult {
		in.Ask, in.Progress = l.ask, l.progress
		return ex.tools.Execute(ctx, c.Name, in)
	})
	return ex.attend(ctx, c, l)
}

// attend stays with a live call until it has a result, or asks the person: then the run
// lets go of it, and the call waits in this process for what they decide.
func (ex *executor) attend(ctx context.Context, c agent.ToolCall, l *liveCall) (effects, agent.Change, error) {
	out := ex.coalescer(outputFrame)
	l.attended(func(chunk string) {
		_ = out.push(agent.ToolResultDelta{ToolCallID: c.ID, Delta: chunk}) // a write that failed comes out of close
	})
	defer context.AfterFunc(ctx, func() { l.cancel(context.Cause(ctx)) })()
	var q *openQuestion
	select {
	case <-l.ended:
	case q = <-l.questions:
	}
	l.hold(q)
	rest, err := out.close()
	shown := agent.Change{Events: events(rest...)}
	switch {
	case err != nil:
		return effects{}, agent.Change{}, err
	case q != nil:
		return effects{}, agent.Change{}, ex.askFor(c, l, q, shown)
	}
	defer ex.flight.forget(c.IdempotencyKey(), nil)
	return ex.settle(ctx, l.ctx, c, l.res, shown)
}

// askFor puts a server's question before the person. The card is stored before anything
// may withdraw it.
func (ex *executor) askFor(c agent.ToolCall, l *liveCall, q *openQuestion, shown agent.Change) error {
	card := ex.requests.aboutServer(c, q.ServerQuestion)
	ex.requests.add(&shown, card)
	if err := ex.commit(shown); err != nil {
		return err
	}
	go ex.watchQuestion(c, l, q, card)
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
		ex.requests.log.Error("withdrawing a question failed", "error", err, "run_id", c.RunID, "approval_id", card.ID)
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
		var e agent.Change
		ex.recoverCall(c, &e)
		return ex.commit(e)
	}
	done, e, err := ex.attend(ctx, c, l)
	ex.stage(e)
	if err != nil || ended(ctx) {
		return err
	}
	ex.takeEffect([]agent.ToolCall{c}, []effects{done})
	return nil
}
