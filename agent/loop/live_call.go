package loop

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"fusebox/agent"
)

// liveCall is a call that may ask the person while it runs. It is open in this process
// alone; the run does not stay for it: while a card waits, the run is only rows.
type liveCall struct {
	ctx       context.Context
	cancel    context.CancelCauseFunc
	questions chan *openQuestion // taken by the execution that attends to the call
	ended     chan struct{}      // closed once res is there
	res       agent.ToolResult

	mu     sync.Mutex
	show   func(string)  // nil while no execution attends
	open   *openQuestion // waits for a person, nil for none
	cutOff bool          // it ended while it asked
}

// openQuestion is one that a server waits for.
type openQuestion struct {
	agent.ServerQuestion
	answer chan agent.ServerAnswer // takes one
	done   chan struct{}           // closed when nobody waits for an answer any more
}

// The causes with which a live call is cancelled.
var (
	errRunEnded   = errors.New("the run has ended")
	errUnanswered = errors.New("nobody answered in time")
)

// startLive runs a call that outlives the run's stay in this process.
func (f *inFlight) startLive(parent context.Context, c agent.ToolCall, run func(ctx context.Context, l *liveCall) agent.ToolResult) *liveCall {
	l := &liveCall{questions: make(chan *openQuestion), ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(context.WithoutCancel(parent))
	f.mu.Lock()
	if f.live == nil {
		f.live = map[string]*liveCall{}
	}
	f.live[c.IdempotencyKey()] = l
	f.mu.Unlock()
	go func() {
		defer close(l.ended)
		if l.res = run(l.ctx, l); l.wasCutOff() {
			l.res = agent.ToolResult{ErrorType: agent.ErrCancelled, Content: "It was cancelled while its server waited for an answer."}
		}
	}()
	return l
}

// liveCall finds a call that is open in this process.
func (f *inFlight) liveCall(c agent.ToolCall) *liveCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live[c.IdempotencyKey()]
}

func (f *inFlight) forget(key string, cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.live[key]; l != nil {
		l.cancel(cause)
		delete(f.live, key)
	}
}

func (f *inFlight) drop(runID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, l := range f.live {
		if strings.HasPrefix(key, runID+"/") {
			l.cancel(errRunEnded)
			delete(f.live, key)
		}
	}
}

// ask is agent.AskPerson: it hands a question to the execution that attends to the call. A
// second question waits until the first is decided.
func (l *liveCall) ask(ctx context.Context, asked agent.ServerQuestion) agent.ServerAnswer {
	q := &openQuestion{ServerQuestion: asked, answer: make(chan agent.ServerAnswer, 1), done: make(chan struct{})}
	defer close(q.done)
	select {
	case l.questions <- q:
	case <-ctx.Done():
		return l.unanswered()
	case <-l.ctx.Done():
		return l.unanswered()
	}
	select {
	case a := <-q.answer:
		return a
	case <-ctx.Done():
	case <-l.ctx.Done():
	}
	return l.unanswered()
}

// unanswered is what a server hears that does not wait any more, or whose call has been
// cancelled: what it makes of that is not the call's result.
func (l *liveCall) unanswered() agent.ServerAnswer {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cutOff = l.cutOff || l.ctx.Err() != nil
	return agent.ServerAnswer{Action: agent.ServerCancel}
}

func (l *liveCall) wasCutOff() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cutOff
}

// deliver hands over what a person has decided.
func (l *liveCall) deliver(a agent.ServerAnswer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		l.open.answer <- a
		l.open = nil
	}
}

// waits reports whether a person is asked.
func (l *liveCall) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open != nil
}

// progress shows output of the call to whoever attends; what comes while nobody does is
// left out.
func (l *liveCall) progress(chunk string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.show != nil {
		l.show(chunk)
	}
}

// performLive runs a call that may ask the person while it runs.
func (ex *executor) performLive(ctx context.Context, owner mailbox, in agent.ToolInput, o *performed) {
	c := o.call
	l := ex.loop.flight.startLive(ctx, c, func(ctx context.Context, l *liveCall) (res agent.ToolResult) {
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
	l.mu.Lock()
	l.show = func(chunk string) {
		_ = out.push(agent.ToolResultDelta{ToolCallID: o.call.ID, Delta: chunk}) // a write that failed comes out of close
	}
	l.mu.Unlock()
	defer context.AfterFunc(ctx, func() { l.cancel(context.Cause(ctx)) })()
	o.live = l
	select {
	case <-l.ended:
	case o.asks = <-l.questions:
	}
	l.mu.Lock()
	l.open, l.show = o.asks, nil
	l.mu.Unlock()
	if o.shown, o.err = out.close(); o.asks != nil {
		return
	}
	o.res, o.cancelledBy = l.res, cancelledBy(l.ctx, l.res)
	ex.loop.flight.forget(o.call.IdempotencyKey(), nil)
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
		ex.loop.flight.forget(c.IdempotencyKey(), errUnanswered)
		return
	}
	if !l.waits() || ex.loop.Withdraw == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), withdrawTime)
	defer cancel()
	if err := ex.loop.Withdraw(ctx, card.ID, q.Server+" does not wait for an answer any more."); err != nil {
		ex.log.Error("withdrawing a question failed", "error", err, "run_id", c.RunID, "approval_id", card.ID)
	}
}

// unattended is the first executing call that nobody is being asked about, or nil.
func (ex *executor) unattended() *agent.ToolCall {
	for _, c := range ex.calls.open() {
		if c.State != agent.CallExecuting || isDelegation(c) {
			continue
		}
		if l := ex.loop.flight.liveCall(c); l == nil || !l.waits() {
			return &c
		}
	}
	return nil
}

// continueCall goes on with a call whose question was decided. One that was lost meanwhile
// is judged as after a restart.
func (ex *executor) continueCall(ctx context.Context, c agent.ToolCall) error {
	l := ex.loop.flight.liveCall(c)
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
