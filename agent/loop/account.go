package loop

import (
	"context"
	"errors"
	"time"

	"fusebox/agent"
)

// What a call needs: the least room for an answer that makes it worth its
// prompt, and the room that it waits for while other calls have reserved it.
const (
	minOutput     = 256
	comfortOutput = 1024
)

// account is what the run's model calls may take, and what they took: it reserves
// their worst case before they are made and writes their lines into the ledger.
type account struct {
	*rows
	// open is the model call under way.
	open openCall
}

// reserve makes the reservation of one call together with a change, and binds the
// request to it. An *InsufficientBudget says what is in the way of both.
func (ac *account) reserve(req *agent.Request, kind agent.StepKind, with agent.Change) (*agent.InsufficientBudget, error) {
	estimate := ac.loop.Counter.CountPrompt(*req)
	ask := ac.worstCase(*req, kind, estimate)
	room, short, err := ac.askWith(ask, with)
	if short != nil || err != nil {
		return short, err
	}
	ac.open = openCall{at: room.At, estimate: estimate}
	ac.open.reserve(req.Model, ask.Price, ask.Priced)
	plain := *req
	req.MaxTokens = room.Output
	req.ReserveRetry = func(_ context.Context, model string, spent agent.Spent) (int64, error) {
		return ac.extend(plain, ask, model, spent)
	}
	return nil, nil
}

// extend extends the reservation of a call by a further try, of this model or
// of another one. What does not fit leaves the call with what it has reserved: that pays
// for the tries before.
func (ac *account) extend(plain agent.Request, first agent.ReservationRequest, model string, spent agent.Spent) (int64, error) {
	other := plain
	other.Model = model
	retry := ac.worstCase(other, first.Kind, ac.loop.Counter.CountPrompt(other))
	retry.Step, retry.Prompt = first.Step, max(retry.Prompt, first.Prompt)
	ac.open.reserve(model, retry.Price, retry.Priced)
	retry.Spent = spent.Total()
	for _, tried := range spent { // each at its model's price
		price, _ := ac.priceOf(tried.Model)
		retry.SpentMicros += price.Cost(tried.Usage)
	}
	room, short, err := ac.ask(retry)
	if short != nil {
		return 0, short
	}
	return room.Output, err
}

// askWith commits a change with a reservation. One that does not fit is asked for once
// more by itself: the accounts that it opens stay, so that their limits can be raised.
func (ac *account) askWith(a agent.ReservationRequest, with agent.Change) (agent.Reservation, *agent.InsufficientBudget, error) {
	both := with
	both.Reserve = &a
	done, err := ac.append(both)
	if _, isShort := errors.AsType[*agent.InsufficientBudget](err); !isShort {
		return done.Reservation, nil, err
	}
	room, short, err := ac.ask(a)
	if short != nil || err != nil {
		return room, short, err
	}
	return room, nil, ac.commit(with)
}

func (ac *account) ask(a agent.ReservationRequest) (agent.Reservation, *agent.InsufficientBudget, error) {
	ctx, cancel := commitContext()
	defer cancel()
	room, err := ac.journal.Reserve(ctx, a)
	if short, isShort := errors.AsType[*agent.InsufficientBudget](err); isShort {
		return agent.Reservation{}, short, nil
	}
	return room, nil, err
}

// release ends the reservation of a call that took nothing.
func (ac *account) release() error {
	ctx, cancel := commitContext()
	defer cancel()
	return ac.journal.Release(ctx, ac.run.ID, ac.run.Epoch)
}

// worstCase is what a call may take at worst whose prompt is estimated.
func (ac *account) worstCase(req agent.Request, kind agent.StepKind, estimate int64) agent.ReservationRequest {
	prompt, output := ac.nextCall(req.Model, estimate)
	want := req.MaxTokens
	if want == 0 {
		want = ac.loop.Settings.MaxOutput
	}
	if window := ac.window(); window > 0 {
		want = min(want, max(window-prompt, minOutput))
	}
	a := agent.ReservationRequest{
		RunID: ac.run.ID, Epoch: ac.run.Epoch, Step: callStep(ac.run, kind), Kind: kind, Model: req.Model, Prompt: prompt,
		BeyondPercent: agent.OverPercent, BeyondTokens: agent.OverTokens, WantOutput: want, MinOutput: min(output, want), Comfort: max(comfortOutput, output),
		AnyPrice: ac.run.State.AnyPrice, OwnAnyPrice: ac.run.State.OwnAnyPrice, Switched: ac.run.State.Cheaper != "",
	}
	a.Price, a.Priced = ac.loop.Settings.Price(req.Model)
	return a
}

// nextCall estimates the next call: never below what the run's last call took,
// because a provider's own count is the better tokenizer, and histories grow.
func (ac *account) nextCall(model string, estimate int64) (prompt, output int64) {
	prompt, output = ac.loop.drift.atMost(model, estimate), minOutput
	compacted := ac.transcript.inEffect()
	for i := len(ac.transcript.branch) - 1; i >= 0 && ac.transcript.branch[i].RunID == ac.run.ID; i-- {
		if compacted != nil && ac.transcript.branch[i].ID == compacted.Leaf {
			break // what came before was larger than it is now
		}
		if u := ac.transcript.branch[i].Usage; u != nil {
			return max(prompt, u.InputTokens), max(output, u.OutputTokens)
		}
	}
	return prompt, output
}

// model is the one that the run's next call asks: its own, or the cheaper one
// that a budget has put in its place.
func (ac *account) model() string {
	if ac.run.State.Cheaper != "" {
		return ac.run.State.Cheaper
	}
	return ac.run.Model
}

// window is the model's context window in tokens, 0 if unknown.
func (ac *account) window() int64 {
	if ac.loop.Settings.Window == nil {
		return 0
	}
	return ac.loop.Settings.Window(ac.model())
}

// priceOf is what a model costs the call under way: as it was reserved, else as it is now.
func (ac *account) priceOf(model string) (agent.Price, bool) {
	if reserved, ok := ac.open.prices[model]; ok {
		return reserved.Price, reserved.known
	}
	return ac.loop.Settings.Price(model)
}

// openCall is the model call under way: from when it counts, how long its prompt
// is by our own count, and what its models cost. A call is settled at the prices at which it was reserved, so that it cannot
// take more than that because a price has changed.
type openCall struct {
	at       time.Time
	estimate int64
	prices   map[string]reservedPrice
}

// reservedPrice is a model's price; known is false if it is unknown.
type reservedPrice struct {
	agent.Price
	known bool
}

// reserve notes at which price a model's tries are reserved, the first time that it is asked.
func (c *openCall) reserve(model string, price agent.Price, known bool) {
	if c.prices == nil {
		c.prices = map[string]reservedPrice{}
	}
	if _, ok := c.prices[model]; !ok {
		c.prices[model] = reservedPrice{price, known}
	}
}

// callStep is the step that a call belongs to: an answer that is not begun, and the
// summary before it, are of the step that comes.
func callStep(r agent.Run, kind agent.StepKind) int {
	if r.State.DraftID == "" && (kind == agent.StepAnswer || kind == agent.StepCompaction) {
		return r.Steps + 1
	}
	return r.Steps
}
