package loop

import (
	"context"
	"fmt"
	"slices"
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
			if err := x.budgets.goCheaper(short); err != nil {
				return false, err
			}
			req.Model = x.account.model()
			continue
		case !short.Wait || waited >= reservationWait:
			return true, x.outOfBudget(short)
		case !told && waited >= tellWait:
			told = true
			if err := x.commit(agent.Change{Events: events(agent.Notice{Message: "Waiting for room in the budget of " + x.budgets.shortage(short).budgetName() + ": model calls of other runs have reserved it."})}); err != nil {
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

// outOfBudget does what the budget calls for: it ends the run, or asks a person.
func (x *execution) outOfBudget(why *agent.InsufficientBudget) error {
	if x.run.State.HandIn.Limit != "" {
		return x.endAtLimit(x.budgets.shortage(why).sentence(), agent.Completion{})
	}
	how, err := x.budgets.askAbout(why)
	if how == nil || err != nil {
		return err
	}
	return x.end(*how)
}

// budgets decide how a run goes on whose next model call does not fit: with a cheaper model, once a person has
// raised a limit, or not at all.
type budgets struct {
	*rows
	account  *account
	requests *requests
}

// goCheaper has a cheaper model answer from here on.
func (bs *budgets) goCheaper(why *agent.InsufficientBudget) error {
	r := bs.with(agent.StatusRunning)
	r.State.Cheaper = why.Switch
	return bs.commit(agent.Change{Run: r, Events: events(
		agent.FallbackEvent{Reason: "budget", Attempt: 1, Model: why.Switch},
		agent.Notice{Message: fmt.Sprintf("%d%% of the budget of %s is used: %s answers from here on.", why.Percent(), bs.shortage(why).budgetName(), why.Switch)},
	)})
}

// askAbout asks a person about a budget, unless it ends the run.
func (bs *budgets) askAbout(why *agent.InsufficientBudget) (*ending, error) {
	s := bs.shortage(why)
	child := bs.run.Lineage.IsChild()
	ownLimit := child && !why.Shared() && why.Who == agent.WhoRun && why.Of != bs.run.RootID() // an agent sets it
	if ownLimit || why.AtLimit == agent.LimitStop && !why.Unpriced && !why.Wait {
		return &ending{status: agent.StatusStopped, reason: why.Reason(), because: s.sentence()}, nil
	}
	if child {
		return nil, bs.askAtRoot(s)
	}
	ev := s.evidence()
	a, err := bs.card(s, bs.run.ID)
	if err != nil {
		return nil, err
	}
	e := agent.Change{Run: bs.with(agent.StatusRunning), Events: events(agent.BudgetEvent{
		Scope: ev.Scope, UsedTokens: ev.UsedTokens, LimitTokens: ev.LimitTokens, UsedMicros: ev.UsedMicros, LimitMicros: ev.LimitMicros,
		BudgetID: ev.BudgetID, SubjectName: ev.SubjectName, ResetsAt: ev.ResetsAt,
	})}
	return nil, bs.commit(e.Then(bs.requests.open("", a)))
}

// card asks a person about a budget on behalf of a run. Where there is a tree, it says
// what each of its runs has used.
func (bs *budgets) card(s shortage, of string) (agent.Approval, error) {
	ev := s.evidence()
	if bs.run.Lineage.IsChild() || slices.ContainsFunc(bs.calls.list, isDelegation) {
		ctx, cancel := commitContext()
		defer cancel()
		tree, err := bs.journal.Tree(ctx, bs.run.RootID())
		if err != nil {
			return agent.Approval{}, err
		}
		for _, r := range tree {
			ev.Runs = append(ev.Runs, agent.RunSpending{RunID: r.ID, Agent: r.WorksBy(), Tokens: r.Usage.Total(), CostMicros: r.CostMicros})
		}
	}
	a := bs.requests.prepare(agent.KindBudget, agent.RiskHigh, s.sentence(), ev) // raising spends money: reviewers and admins decide
	a.RunID, a.BudgetID, a.RefillAt = of, s.ID, s.EndsAt
	if s.Wait { // it would fit now but for calls under way
		a.RefillAt = bs.now().Add(reservationWait)
	}
	return a, nil
}

// askAtRoot has a child wait for its tree's one card about limits that no agent sets. The card is the root's,
// whichever run has put it there.
func (bs *budgets) askAtRoot(s shortage) error {
	ctx, cancel := commitContext()
	defer cancel()
	root := bs.run.RootID()
	card, err := bs.journal.OpenBudgetCard(ctx, root)
	if err != nil {
		return err
	}
	r := bs.with(agent.StatusPaused)
	var e agent.Change
	if card == "" {
		a, err := bs.card(s, root)
		if err != nil {
			return err
		}
		a.Agent, a.Path, card = "", nil, a.ID
		e = bs.requests.open("", a)
		for i := range e.Events {
			e.Events[i].RunID = root
		}
	}
	r.State.AwaitsCard = card
	e.Run = r
	e.Events = append(e.Events, events(agent.RunPaused{ApprovalIDs: []string{card}})...)
	return bs.commit(e)
}

// scopeMoney names the spending budget of a run on approvals and in events.
const scopeMoney = "run_cost"

// shortage is a call that does not fit a budget, with what sentences about it need.
type shortage struct {
	*agent.InsufficientBudget
	model string // the one that is asked next
	email string // of the person the run works for
	above string // the agent of a run above whose limit it is
}

func (bs *budgets) shortage(why *agent.InsufficientBudget) shortage {
	s := shortage{InsufficientBudget: why, model: bs.account.model(), email: bs.requests.auth.owner.Email}
	for _, step := range bs.family.path {
		if step.RunID == why.Of && step.RunID != bs.run.ID && step.RunID != bs.run.RootID() {
			s.above = step.Agent
		}
	}
	return s
}

// evidence puts a budget's numbers on the table.
func (s shortage) evidence() agent.BudgetEvidence {
	scope := s.Scope()
	if !s.Shared() && s.Money {
		scope = scopeMoney
	}
	return agent.BudgetEvidence{
		BudgetID: s.ID, Subject: s.Of, SubjectName: s.subjectName(), StartsAt: agent.StampOrZero(s.StartsAt), ResetsAt: agent.StampOrZero(s.EndsAt),
		Money: s.Money, Unpriced: s.Unpriced, Model: s.model, Scope: scope,
		UsedTokens: s.UsedTokens, LimitTokens: s.TokenLimit(), UsedMicros: s.UsedMicros, LimitMicros: s.MicroLimit(),
		ReservedTokens: s.ReservedTokens, ReservedMicros: s.ReservedMicros,
		NextStepTokens: s.NextTokens, NextStepMicros: s.NextMicros,
	}
}

// sentence says what is in the way, with the numbers.
func (s shortage) sentence() string {
	name := s.budgetName()
	switch {
	case s.Unpriced:
		return fmt.Sprintf("The model %s has no price, so the spending budget of %s cannot cover it.", s.model, name)
	case s.Money:
		return fmt.Sprintf("The spending budget of %s would be exceeded: %s of %s spent%s, and the next model call may cost %s.",
			name, agent.MoneyText(s.UsedMicros), agent.MoneyText(s.MicroLimit()), reservedWords(agent.MoneyText(s.ReservedMicros), s.ReservedMicros), agent.MoneyText(s.NextMicros))
	default:
		return fmt.Sprintf("The token budget of %s would be exceeded: %d of %d tokens used%s, and the next model call may need %d.",
			name, s.UsedTokens, s.TokenLimit(), reservedWords(fmt.Sprint(s.ReservedTokens), s.ReservedTokens), s.NextTokens)
	}
}

func reservedWords(text string, amount int64) string {
	if amount == 0 {
		return ""
	}
	return ", " + text + " reserved by calls in progress"
}

// subjectName is the readable name of a shared budget's subject.
func (s shortage) subjectName() string {
	switch s.Who {
	case agent.WhoUser:
		return s.email
	case agent.WhoGroup:
		return s.Of
	case agent.WhoRun:
		return s.above
	default:
		return ""
	}
}

// budgetName names a budget in a sentence.
func (s shortage) budgetName() string {
	return agent.SubjectWords(s.Who, s.subjectName()) + agent.SpanWords(s.Span)
}

// increaseLimit lifts the limit that an approval was about: the run's own, or an admin's in
// its window. Where no amount is named, the run's limit is granted once more, and
// of an admin's budget what the next step needs, but at least a tenth. What was
// settled because the budget was reset raises nothing.
func (x *execution) increaseLimit(r *agent.Run, a agent.Approval) []agent.LimitIncrease {
	ev, err := a.BudgetEvidence()
	if err != nil {
		x.log.Error("evidence of a budget approval does not decode", "approval_id", a.ID, "error", err)
	}
	switch {
	case a.DecidedBy == agent.System:
	case ev.Unpriced && ev.BudgetID == "":
		r.State.OwnAnyPrice = true // deciding about a run's budget does not decide about everyone's
	case ev.Unpriced:
		r.State.AnyPrice = true
	case ev.BudgetID != "":
		by := agent.LimitIncrease{BudgetAccount: agent.BudgetAccount{BudgetID: ev.BudgetID, Subject: ev.Subject, StartsAt: ev.StartsAt}, Tokens: a.RaiseTokensBy, Micros: a.RaiseMicrosBy}
		if ev.Money && by.Micros == 0 {
			by.Micros = enough(ev.LimitMicros, ev.NextStepMicros)
		} else if !ev.Money && by.Tokens == 0 {
			by.Tokens = enough(ev.LimitTokens, ev.NextStepTokens)
		}
		return []agent.LimitIncrease{by}
	case ev.Scope == scopeMoney:
		r.Limits.CostMicros += orElse(a.RaiseMicrosBy, max(ev.LimitMicros, ev.NextStepMicros))
	case ev.Scope == string(agent.WhoConversation):
		r.Limits.ConversationTokens += orElse(a.RaiseTokensBy, max(ev.LimitTokens, ev.NextStepTokens))
	default:
		r.Limits.Tokens += orElse(a.RaiseTokensBy, max(ev.LimitTokens, ev.NextStepTokens))
	}
	return nil
}

// enough is what raising a limit adds if no amount is given.
func enough(limit, next int64) int64 {
	if limit == 0 {
		return 0
	}
	return max(limit/10, next)
}

func orElse(n, otherwise int64) int64 {
	if n > 0 {
		return n
	}
	return otherwise
}
