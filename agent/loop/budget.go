package loop

import (
	"context"
	"fmt"
	"time"

	"fusebox/agent"
)

// How long a call waits for others to settle before a person is asked, when the
// person who watches is told, and how often the budgets are looked at.
const (
	reservationWait = 2 * time.Minute
	tellWait        = 3 * time.Second
	firstLook       = 20 * time.Millisecond
	lastLook        = time.Second
)

// reserve sets aside the worst case of the next model call against all budgets in
// scope and lowers its output to what fits. Where calls under way have reserved the room
// it waits for them; what cannot fit asks a person before a token is spent. The step
// starts with its reservation.
func (x *execution) reserve(ctx context.Context, req *agent.Request) (paused bool, err error) {
	since, told := x.clock.Now(), false
	for look := firstLook; ; look = min(2*look, lastLook) {
		short, err := x.account.reserve(req, agent.StepAnswer, x.stepStart())
		waited := x.clock.Now().Sub(since)
		switch {
		case err != nil || short == nil:
			return false, err
		case short.Switch != "":
			if err := x.goCheaper(short); err != nil {
				return false, err
			}
			req.Model = x.account.model()
			continue
		case !short.Wait || waited >= reservationWait:
			return true, x.outOfBudget(short)
		case !told && waited >= tellWait:
			told = true
			if err := x.commit(agent.Change{Events: events(agent.Notice{Message: "Waiting for room in the budget of " + x.shortage(short).budgetName() + ": model calls of other runs have reserved it."})}); err != nil {
				return false, err
			}
		}
		select {
		case <-ctx.Done():
			return true, nil // move knows the cause
		case <-x.clock.After(look):
		}
	}
}

// goCheaper has a cheaper model answer from here on.
func (x *execution) goCheaper(why *agent.InsufficientBudget) error {
	r := x.with(agent.StatusRunning)
	r.State.Cheaper = why.Switch
	return x.commit(agent.Change{Run: r, Events: events(
		agent.FallbackEvent{Reason: "budget", Attempt: 1, Model: why.Switch},
		agent.Notice{Message: fmt.Sprintf("%d%% of the budget of %s is used: %s answers from here on.", why.Percent(), x.shortage(why).budgetName(), why.Switch)},
	)})
}

// outOfBudget does what the budget calls for: it ends the run, or asks a person.
func (x *execution) outOfBudget(why *agent.InsufficientBudget) error {
	if why.AtLimit == agent.LimitStop && !why.Unpriced && !why.Wait {
		return x.end(ending{status: agent.StatusStopped, reason: why.Reason(), because: x.shortage(why).sentence()})
	}
	ev := x.shortage(why).evidence()
	a := x.requests.prepare(agent.KindBudget, agent.RiskHigh, x.shortage(why).sentence(), ev) // raising spends money: reviewers and admins decide
	a.BudgetID, a.RefillAt = why.ID, x.retriesAt(why)
	e := agent.Change{Run: x.with(agent.StatusRunning), Events: events(agent.BudgetEvent{
		Scope: ev.Scope, UsedTokens: ev.UsedTokens, LimitTokens: ev.LimitTokens, UsedMicros: ev.UsedMicros, LimitMicros: ev.LimitMicros,
		BudgetID: ev.BudgetID, SubjectName: ev.SubjectName, ResetsAt: ev.ResetsAt,
	})}
	return x.commit(e.Then(x.requests.open("", a)))
}

// retriesAt is when a run looks by itself whether its call fits: once the budget
// is reset, and soon where it would fit now but for calls under way.
func (x *execution) retriesAt(why *agent.InsufficientBudget) time.Time {
	if why.Wait {
		return x.now().Add(reservationWait)
	}
	return why.EndsAt
}
