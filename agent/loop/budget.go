package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fusebox/agent"
)

// What a call needs: the least room for an answer that makes it worth its
// prompt, and the room that it waits for while other calls hold it.
const (
	minOutput     = 256
	comfortOutput = 1024
)

// How long a call waits for others to settle before a person is asked, when the
// person who watches is told, and how often the budgets are looked at.
const (
	roomWait  = 2 * time.Minute
	tellWait  = 3 * time.Second
	firstLook = 20 * time.Millisecond
	lastLook  = time.Second
)

// reserve holds the worst case of the next model call against all budgets in
// scope and lowers its output to what fits. Where calls under way hold the room
// it waits for them; what cannot fit asks a person before a token is spent.
func (f *execution) reserve(ctx context.Context, req *agent.Request) (held bool, err error) {
	since, told := f.Clock.Now(), false
	for look := firstLook; ; look = min(2*look, lastLook) {
		short, err := f.hold(req, agent.StepAnswer)
		waited := f.Clock.Now().Sub(since)
		switch {
		case err != nil || short == nil:
			return false, err
		case short.Switch != "":
			if err := f.goCheaper(short); err != nil {
				return false, err
			}
			req.Model = f.model()
			continue
		case !short.Wait || waited >= roomWait:
			return true, f.outOfBudget(short)
		case !told && waited >= tellWait:
			told = true
			if err := f.commit(agent.Entry{Events: events(agent.Notice{Message: "Waits for room in the budget of " + f.budgetName(short.Standing) + ": model calls of other runs hold it."})}); err != nil {
				return false, err
			}
		}
		select {
		case <-ctx.Done():
			return true, nil // move knows the cause
		case <-f.Clock.After(look):
		}
	}
}

// hold makes the reservation of one call, and binds the request to it. A *Short
// says what is in the way.
func (f *execution) hold(req *agent.Request, kind agent.StepKind) (*agent.Short, error) {
	ask := f.need(*req, kind)
	room, short, err := f.reserveCall(ask)
	if short != nil || err != nil {
		return short, err
	}
	f.open = openCall{at: room.At}
	f.open.hold(req.Model, ask.Price, ask.Priced)
	plain := *req
	req.MaxTokens = room.Output
	req.Again = func(_ context.Context, model string, spent agent.Spent) (int64, error) {
		return f.holdAgain(plain, ask, model, spent)
	}
	return nil, nil
}

// holdAgain extends the reservation of a call by a further try, of this model or
// of another one. What does not fit leaves the call with what it holds: that pays
// for the tries before.
func (f *execution) holdAgain(plain agent.Request, first agent.Ask, model string, spent agent.Spent) (int64, error) {
	other := plain
	other.Model = model
	again := f.need(other, first.Kind)
	again.Step, again.Prompt = first.Step, max(again.Prompt, first.Prompt)
	f.open.hold(model, again.Price, again.Priced)
	again.Spent, again.SpentMicros = spent.Total(), f.costOf(spent)
	room, short, err := f.reserveCall(again)
	if short != nil {
		return 0, short
	}
	return room.Output, err
}

// costOf is what tries of a call have cost so far, each at its model's price.
func (f *execution) costOf(spent agent.Spent) (micros int64) {
	for _, m := range spent {
		price, _ := f.priceOf(m.Model)
		micros += price.Cost(m.Usage)
	}
	return micros
}

func (f *execution) reserveCall(a agent.Ask) (agent.Room, *agent.Short, error) {
	ctx, cancel := commitContext()
	defer cancel()
	room, err := f.Journal.Reserve(ctx, a)
	var short *agent.Short
	if errors.As(err, &short) {
		return agent.Room{}, short, nil
	}
	return room, nil, err
}

// letGo ends the reservation of a call that took nothing.
func (f *execution) letGo() error {
	ctx, cancel := commitContext()
	defer cancel()
	return f.Journal.Release(ctx, f.run.ID, f.run.Epoch)
}

// need is what a call may take at worst.
func (f *execution) need(req agent.Request, kind agent.StepKind) agent.Ask {
	prompt, output := f.nextCall(req)
	want := req.MaxTokens
	if want == 0 {
		want = f.Settings.MaxOutput
	}
	if window := f.window(); window > 0 {
		want = min(want, max(window-prompt, minOutput))
	}
	a := agent.Ask{
		RunID: f.run.ID, Epoch: f.run.Epoch, Step: callStep(f.run, kind), Kind: kind, Model: req.Model, Prompt: prompt,
		BeyondPercent: agent.OverPercent, BeyondTokens: agent.OverTokens, WantOutput: want, MinOutput: min(output, want), Comfort: max(comfortOutput, output),
		AnyPrice: f.run.State.AnyPrice, OwnAnyPrice: f.run.State.OwnAnyPrice, Switched: f.run.State.Cheaper != "",
	}
	a.Price, a.Priced = f.Settings.Price(req.Model)
	return a
}

// nextCall estimates the next call: never below what the run's last call took,
// because a provider's own count is the better tokenizer, and histories grow.
func (f *execution) nextCall(req agent.Request) (prompt, output int64) {
	prompt, output = f.drift.atMost(req.Model, f.Counter.CountPrompt(req)), minOutput
	compacted := f.standing()
	for i := len(f.branch) - 1; i >= 0 && f.branch[i].RunID == f.run.ID; i-- {
		if compacted != nil && f.branch[i].ID == compacted.Leaf {
			break // what came before was larger than it is now
		}
		if u := f.branch[i].Usage; u != nil {
			return max(prompt, u.InputTokens), max(output, u.OutputTokens)
		}
	}
	return prompt, output
}

// model is the one that the run's next call asks: its own, or the cheaper one
// that a budget has put in its place.
func (f *execution) model() string {
	if f.run.State.Cheaper != "" {
		return f.run.State.Cheaper
	}
	return f.run.Model
}

// goCheaper has a cheaper model answer from here on.
func (f *execution) goCheaper(why *agent.Short) error {
	r := f.with(agent.StatusRunning)
	r.State.Cheaper = why.Switch
	return f.commit(agent.Entry{Run: r, Events: events(
		agent.FallbackEvent{Reason: "budget", Attempt: 1, Model: why.Switch},
		agent.Notice{Message: fmt.Sprintf("%d %% of the budget of %s is used: %s answers from here on.", why.Percent(), f.budgetName(why.Standing), why.Switch)},
	)})
}

// outOfBudget does what the budget calls for: it ends the run, or asks a person.
func (f *execution) outOfBudget(why *agent.Short) error {
	if why.AtLimit == agent.LimitStop && !why.Unpriced && !why.Wait {
		return f.end(ending{status: agent.StatusStopped, reason: why.Reason(), because: f.sentence(why)})
	}
	e := agent.Entry{Run: f.with(agent.StatusRunning)}
	ev := f.budgetEvidence(why)
	a := f.newApproval(agent.KindBudget, agent.RiskHigh, f.sentence(why), ev) // raising spends money: reviewers and admins decide
	a.BudgetID, a.RefillAt = why.ID, f.looksAgain(why)
	f.addApproval(&e, a)
	e.Events = append(events(agent.BudgetEvent{
		Scope: ev.Scope, UsedTokens: ev.UsedTokens, LimitTokens: ev.LimitTokens, UsedMicros: ev.UsedMicros, LimitMicros: ev.LimitMicros,
		BudgetID: ev.BudgetID, SubjectName: ev.SubjectName, ResetsAt: ev.ResetsAt,
	}), e.Events...)
	return f.commit(e)
}

// looksAgain is when a run looks by itself whether its call fits: once the budget
// is whole again, and soon where it would fit now but for calls under way.
func (f *execution) looksAgain(why *agent.Short) time.Time {
	if why.Wait {
		return f.now().Add(roomWait)
	}
	return why.EndsAt
}
