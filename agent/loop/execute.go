package loop

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

// outputFrame is how often live output of a tool becomes an event.
const outputFrame = 100 * time.Millisecond

// executor runs scheduled calls and stores what came of them.
type executor struct {
	*rows
	view     *toolView
	auth     *authorizer
	requests *requests
	polling  *polling
	gate     *gate
}

// ready returns the calls to execute now, in parallel: what changes nothing, up to the
// first call that may change something, and whatever only computes. Behind those comes the
// one with side effects, alone, and only once no sibling waits for a person, or has asked
// one and goes on. A call waits for its twin.
func (ex *executor) ready() []agent.ToolCall {
	var at []agent.ToolCall
	var effect *agent.ToolCall
	for _, c := range ex.calls.open() {
		runs := c.State == agent.CallScheduled && c.Authority.Kind != agent.AuthorityTwin && !ex.polling.sleeps(c)
		switch {
		case c.State.Ended():
		case !ex.tools.readOnly(c):
			if effect == nil && c.Authority.Kind != agent.AuthorityTwin {
				effect = &c
			}
		case runs && (effect == nil || ex.tools.pure(c)):
			at = append(at, c)
		}
	}
	if len(at) > 0 || effect == nil || effect.State != agent.CallScheduled || ex.polling.sleeps(*effect) ||
		ex.calls.any(agent.CallAwaiting) || ex.calls.any(agent.CallUncertain) || ex.calls.any(agent.CallExecuting) {
		return at
	}
	return []agent.ToolCall{*effect}
}

// execute runs calls in parallel, at most parallel at a time, and returns when all of
// them have a result, or wait for another move.
func (ex *executor) execute(ctx context.Context, calls []agent.ToolCall) error {
	claimed, err := ex.claimFirst(ctx, calls)
	if err != nil {
		return err
	}
	b := newBatch(ex.log)
	defer close(b.left)
	for _, c := range calls[:claimed] {
		ex.start(ctx, b, c)
	}
	for rest, most := calls[claimed:], max(ex.loop.Settings.Parallel, 1); ; {
		for ; len(rest) > 0 && b.running < most && err == nil && !ended(ctx) && !ex.loop.steered.is(ex.run.ID); rest = rest[1:] {
			err = ex.claimAndStart(ctx, b, rest[0])
		}
		if b.running == 0 {
			return err
		}
		err = errors.Join(err, ex.take(ctx, b, err == nil))
	}
}

// claimFirst claims the calls that start at once in one change, where they were decided
// on in this very moment, and returns how many. What it does not claim is looked at once
// more. The claims of pure calls are stored with their results.
func (ex *executor) claimFirst(ctx context.Context, calls []agent.ToolCall) (int, error) {
	current := ex.gate.current
	ex.gate.current = false // once the calls are claimed, others need a second look
	if !current || ended(ctx) {
		return 0, ex.auth.refresh()
	}
	n := min(len(calls), max(ex.loop.Settings.Parallel, 1))
	claimed := make([]agent.ToolCall, n)
	var e agent.Change
	for i, c := range calls[:n] {
		claim, change := ex.claim(c)
		claimed[i], e = claim, e.Then(change)
	}
	if n == len(calls) && !slices.ContainsFunc(calls, ex.hasEffects) {
		ex.stage(e)
	} else if err := ex.commit(e); errors.Is(err, agent.ErrRevoked) {
		return 0, ex.auth.refresh()
	} else if err != nil {
		return 0, err
	}
	copy(calls, claimed)
	return n, nil
}

// hasEffects reports whether a call must be known to have begun: it does more than
// compute, or somebody may withdraw its permission.
func (ex *executor) hasEffects(c agent.ToolCall) bool {
	return !ex.tools.pure(c) || c.Authority.Revocable()
}

// claimAndStart starts a call that may still run. The claim is committed before the tool
// is touched: a call that a crash leaves in executing may have happened.
func (ex *executor) claimAndStart(ctx context.Context, b *batch, c agent.ToolCall) error {
	if d := ex.auth.authorize(c); d.outcome != allowed {
		return ex.route(c, d)
	}
	claimed, e := ex.claim(c)
	err := ex.commit(e)
	if errors.Is(err, agent.ErrRevoked) {
		return ex.route(c, ex.auth.revoked(c))
	}
	if err == nil {
		ex.start(ctx, b, claimed)
	}
	return err
}

// route does what was decided about a call that is not executed.
func (ex *executor) route(c agent.ToolCall, d decision) error {
	e := agent.Change{Run: ex.with(agent.StatusRunning)}
	return ex.commit(e.Then(ex.gate.route(c, d, e)))
}

// claim marks a call as executing.
func (ex *executor) claim(c agent.ToolCall) (agent.ToolCall, agent.Change) {
	c.State, c.StartedAt = agent.CallExecuting, ex.now()
	c.Attempt++
	e := agent.Change{
		Calls:  []agent.CallChange{{From: agent.CallScheduled, Event: agent.CallClaimed, Call: c, Effects: !ex.tools.readOnly(c)}},
		Events: events(agent.ToolCallStateEvent{ToolCallID: c.ID, State: agent.CallExecuting}),
	}
	if c.Authority.Revocable() {
		e.Audit = append(e.Audit, ex.auditRow("call.execute", c.RunID+"/"+c.ID, "", map[string]any{
			"tool": c.Name, "argsHash": c.ArgsHash, "rule": c.Authority, "attempt": c.Attempt, "conversation": c.ConversationID,
		}))
	}
	return c, e
}

// start has a claimed call performed. It computes beside the run's own goroutine, and
// touches none of its rows.
func (ex *executor) start(ctx context.Context, b *batch, c agent.ToolCall) {
	perform := ex.perform
	if spec, _ := ex.tools.Lookup(c.Name); spec.MayAsk {
		perform = ex.performLive
	}
	in := ex.input(c, b.mailbox)
	b.start(c, ex.tools.pure(c), func(o *performed) { perform(ctx, b.mailbox, in, o) })
}

// input is what a tool gets to work with.
func (ex *executor) input(c agent.ToolCall, owner mailbox) agent.ToolInput {
	in := toolInput(c)
	root := ex.run.RootID()
	in.Result = func(ctx context.Context, runID, value string) (agent.Answer, error) {
		return ex.journal.Answer(ctx, root, runID, value)
	}
	in.UserID, in.DocumentID, in.Collections, in.Shared = ex.conv.OwnerID, ex.run.State.DocumentID, ex.conv.Collections, ex.sharedFiles()
	in.Tools = func() (specs []agent.ToolSpec) {
		_ = owner.do(func() error { // a run that has gone on needs none
			specs = ex.view.permitted()
			return nil
		})
		return specs
	}
	in.Started = func(process string) error {
		started := c
		started.Process = process // whoever finds the call cut off finds it there; that this process still has the run is checked, too
		return owner.do(func() error {
			return ex.commit(agent.Change{Calls: []agent.CallChange{{From: agent.CallExecuting, Event: agent.CallStarted, Call: started}}})
		})
	}
	return in
}

// perform runs a call to its end.
func (ex *executor) perform(ctx context.Context, owner mailbox, in agent.ToolInput, o *performed) {
	out := ex.output(owner)
	in.Progress = func(chunk string) {
		// A write that failed comes out of close.
		_ = out.push(agent.ToolResultDelta{ToolCallID: in.CallID, Delta: chunk})
	}
	defer func() { o.shown, o.err = out.close() }()
	own, end := ex.loop.flight.begin(ctx, o.call)
	defer end()
	o.res = ex.tools.Execute(own, o.call.Name, in)
	o.cancelledBy = cancelledBy(own, o.res)
}

// output joins what a call shows while it runs; the run's own goroutine writes it.
func (ex *executor) output(owner mailbox) *coalescer {
	return newCoalescer(ex.clock, outputFrame, func(data []agent.EventData) error {
		return owner.do(func() error { return ex.commit(agent.Change{Events: events(data...)}) })
	})
}

// take waits until a call of the batch has ended, and stores what came of it, in one
// change with what the call asks of its run. It is committed at once unless that may wait.
func (ex *executor) take(ctx context.Context, b *batch, mayWait bool) error {
	o := b.next()
	switch {
	case errors.Is(o.err, agent.ErrStale):
		return o.err
	case o.err != nil: // what it did is done, and its result has what was to be shown
		ex.log.Warn("writing the output of a call failed", "error", o.err, "run_id", o.call.RunID, "conversation_id", o.call.ConversationID, "tool", o.call.Name)
	}
	if o.asks != nil {
		return ex.askFor(o)
	}
	e := ex.settle(ctx, o)
	if mayWait && b.holds(o) {
		ex.stage(e)
		return nil
	}
	return ex.commit(e)
}

// ended reports whether the run's context is over; the cause is move's business.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

func toolInput(c agent.ToolCall) agent.ToolInput {
	return agent.ToolInput{
		RunID: c.RunID, ConversationID: c.ConversationID, CallID: c.ID,
		IdempotencyKey: c.IdempotencyKey(), Args: json.RawMessage(c.Args), Process: c.Process,
	}
}

// answerCalls puts the results of the newest answer's calls into the history,
// one each, in the order the model asked.
func (x *execution) answerCalls() {
	r := x.with(agent.StatusRunning)
	e := x.results(r, x.calls.since(x.run.Steps))
	e = e.Then(x.guidance(r, e.Messages))
	e.Run = r
	x.stage(e)
}

// results are the tool messages of the newest answer, which of counts. calls are the run's
// calls as they will be.
func (r *rows) results(of *agent.Run, calls []agent.ToolCall) (e agent.Change) {
	asked := r.transcript.last()
	parent := asked.ID
	for _, c := range calls {
		if c.MessageID != asked.ID {
			continue
		}
		m := r.message(r.newID(), agent.FromTool, parent, resultText(c))
		m.ToolCallID, m.Images = c.ID, c.Images
		parent = m.ID
		say(&e, m)
		of.State.ToolReturns++
	}
	return e
}

// resultText is what the model reads of a result. Nothing but an error passes for one.
func resultText(c agent.ToolCall) string {
	switch {
	case c.ErrorType != "":
		return agent.ErrorResult + string(c.ErrorType) + "): " + c.Result
	case strings.HasPrefix(c.Result, agent.ErrorResult):
		return "Result: " + c.Result
	}
	return c.Result
}
