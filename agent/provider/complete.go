package provider

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/openai/openai-go/v3/option"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/wire"
)

// form says whether an answer is asked for in pieces.
type form bool

const (
	inPieces   form = true
	inOnePiece form = false
)

// question is one model call on its way through tries, cures and fallbacks.
type question struct {
	req     agent.Request
	history []agent.Message // sound
	model   Model
	as      form
	// offered are the tools of the request that its endpoint has not refused.
	offered []agent.ToolSpec
	// rows of onLeaving that apply to this request only.
	rows []string
	// cutAt is after how many tokens an answer to it was cut for its length, 0 for not.
	cutAt int64
	// room is how much output a refusal of it has left, 0 where none has said so, and
	// lessened how many have.
	room     int64
	lessened int
	// spent is the usage of models that were asked before this one.
	spent agent.Spent
	// next says that there is another model to ask: this endpoint need not be waited for.
	next bool
}

// Complete implements agent.Provider.
func (p *Provider) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	return p.answer(ctx, question{req: req}, answer.NewOutput(sink))
}

func (p *Provider) answer(ctx context.Context, q question, out *answer.Output) (agent.Completion, error) {
	q.model, q.as = p.model(q.req.Model), inPieces
	acc, err := p.complete(ctx, &q, out)
	var sunk answer.SinkError
	switch {
	case err == nil:
		return p.whole(q, acc), nil
	case errors.As(err, &sunk):
		return p.partial(q, acc), sunk.Err
	case ctx.Err() != nil:
		return p.partial(q, acc), context.Cause(ctx)
	default:
		return p.partial(q, acc), err
	}
}

func (p *Provider) complete(ctx context.Context, q *question, out *answer.Output) (*answer.Accumulator, error) {
	var repairs int
	kept := history.Of(q.req)
	if q.history, repairs = kept.Repair(q.req); repairs > 0 {
		p.log.WarnContext(ctx, "history repaired before sending", "repairs", repairs)
	}
	acc := answer.NewAccumulator(kept, out, q.req.Tools)
	acc.Bill.Spent = q.spent
	out.Typing(nil)
	whole := func(row string) bool { return row == noStreamWithTools.name || row == noStream.name } // refusals have taught these rows
	if len(q.req.Tools) > 0 && (q.model.WholeWithTools || slices.ContainsFunc(p.rows(*q), whole)) {
		q.as = inOnePiece
		out.Typing(p.waiting(ctx))
	}
	err := p.persist(ctx, *q, acc)
	if errors.Is(err, errBrokenCall) || err == nil && acc.Unfinished() > 0 {
		acc, err = p.retryBrokenCalls(ctx, *q, acc, err)
	}
	if err == nil {
		err = p.tellTruncation(*q, acc)
	}
	return acc, err
}

// persist makes a call, and again after each failure that may pass or be cured.
// errBrokenCall says that its stream broke off inside a tool call again and again.
func (p *Provider) persist(ctx context.Context, q question, acc *answer.Accumulator) error {
	broken := 0 // streams that broke off inside a tool call
	q.offered = p.refused.without(q.req.Model, q.req.Tools)
	var told time.Time
	for n := 1; ; {
		t, err := p.await(ctx, q, n-1, told, acc)
		if err != nil {
			return err
		}
		pause, err := p.attempt(ctx, q, n, t, acc)
		var f *wire.Failure
		if !errors.As(err, &f) || ctx.Err() != nil {
			return err
		}
		cured, err := p.leaveOut(ctx, &q, f, acc)
		if err != nil {
			return err
		}
		if cured || p.askForLess(ctx, &q, f) || p.cure(ctx, &q, f) {
			if err := p.authorizeRetry(ctx, &q, acc); err != nil {
				return err
			}
			if err := acc.Reset(); err != nil {
				return err
			}
			continue
		}
		if f.Retryable { // the endpoint's failure, not the request's
			p.breaker.failed(p.clock.Now())
			if acc.InCall() {
				broken++
			}
		}
		if broken == brokenStreams {
			return errBrokenCall
		}
		if !f.Retryable || f.After > longestWait || n > p.retries.Max || q.next && p.breaker.open(p.clock.Now()) {
			return p.giveUp(f, n)
		}
		if err := p.authorizeRetry(ctx, &q, acc); err != nil {
			return err
		}
		if told, err = p.retry(ctx, n, pause, f, acc); err != nil {
			return err
		}
		n++
	}
}

// try makes the call once. Its errors are *failure, SinkError or, when the
// caller cancelled, anything.
func (p *Provider) try(ctx context.Context, q question, t *turn, acc *answer.Accumulator) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := p.outgoing(q)
	acc.Count(measure, out.limit())
	acc.EndsAt(q.cutAt)
	dog := p.watch(ctx, cancel, out.as)
	err := p.exchange(ctx, out, t, acc, dog)
	if err == nil {
		p.breaker.succeeded()
		return nil
	}
	f, failed := errors.AsType[*wire.Failure](err)
	if failed {
		acc.Heard(f.Part)
		f.Part = ""
	}
	if _, sunk := errors.AsType[answer.SinkError](err); sunk {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, errNoFirstByte) || errors.Is(cause, errIdle) {
		return p.secrets.Polish(&wire.Failure{Retryable: true, Said: "did not answer in time", Err: cause})
	}
	if !failed {
		f = wire.ReadFailure(err)
	}
	return p.secrets.Polish(f)
}

// outgoing is the request of a question as this model takes it.
func (p *Provider) outgoing(q question) *outgoing {
	q.req.MaxTokens = p.fitting(q)
	out := newOutgoing(q, p.origin(q.model), p.signer(q.model))
	out.req.Tools = q.offered
	out.apply(q.model.Family, p.rows(q))
	return out
}

// origin names the endpoint and family that may get a model's reasoning back.
func (p *Provider) origin(m Model) string { return p.name + ":" + string(m.Family) }

// signer names the endpoint and model that may get a message's signatures back.
func (p *Provider) signer(m Model) string { return p.name + " " + p.address + " " + m.Name }

func (p *Provider) exchange(ctx context.Context, out *outgoing, t *turn, acc *answer.Accumulator, dog *watchdog) error {
	var res *http.Response
	body, err := p.body(out)
	if err != nil {
		return &wire.Failure{Said: "cannot be asked this", Err: err}
	}
	ctx = wire.WithRun(context.WithValue(ctx, bodyKey{}, body), out.req.RunID)
	if err := p.post(ctx, "chat/completions", nil, &res, option.WithHeader("Content-Type", "application/json")); err != nil {
		if f, ok := errors.AsType[*wire.Failure](err); ok {
			return f
		}
		return transportFailure(err)
	}
	defer func() { _ = res.Body.Close() }()
	if t != nil {
		p.backoff.accepted(t, p.clock.Now())
	}
	acc.Header = res.Header.Get("X-Request-Id")
	s, err := wire.Open(watchedBody{res.Body, dog}, dog.sawData)
	if err != nil {
		return err
	}
	return acc.Read(s, dog.sawFinish)
}

// whole is the completion of a stream that came to its end.
func (p *Provider) whole(q question, acc *answer.Accumulator) agent.Completion {
	c := acc.Completion()
	total := acc.Total(p.idOf(q.req.Model), p.estimate(q, acc))
	c.Spent, c.Usage, c.Tries = total.Spent, total.Spent.Total(), total.Tries
	c.Provider, c.RequestID = p.name, p.secrets.RequestID(acc.Header, acc.ID())
	c.Data = history.Signatures{From: p.origin(q.model), SignedBy: p.signer(q.model), Calls: acc.Signatures(), Message: acc.Signature()}.Encode(c.Reasoning)
	return c
}

// partial is what arrived of a stream that did not: its text, and no call. Its
// usage is all that was spent, so that what came to nothing is paid too.
func (p *Provider) partial(q question, acc *answer.Accumulator) agent.Completion {
	c := p.whole(q, acc)
	c.Calls = nil
	return c
}

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
