package agent

import (
	"cmp"
	"time"
)

// ReservationRequest is what a model call may take at worst, before it is made. The store checks
// it against every budget in scope at once.
type ReservationRequest struct {
	RunID string
	Epoch int64
	Step  int
	Kind  StepKind
	Model string
	// Prompt is the most that the prompt may count. MinOutput is the least room
	// for an answer that makes the call worth its prompt, WantOutput the most that
	// is asked for, and Comfort what is waited for while other calls have reserved the rest.
	Prompt                         int64
	MinOutput, Comfort, WantOutput int64
	// BeyondPercent and BeyondTokens are how far an answer may run beyond its limit
	// before it is cut off: not every endpoint keeps to what it is asked.
	BeyondPercent, BeyondTokens int64
	// Spent is what earlier tries of the same call have taken, and SpentMicros its price.
	Spent       Usage
	SpentMicros int64
	// Price is the model's; Priced is false if it is unknown.
	Price  Price
	Priced bool
	// AnyPrice lets a model without a price pass budgets in money, OwnAnyPrice those
	// of the run itself: a person who may raise them has agreed to it.
	AnyPrice, OwnAnyPrice bool
	// Switched says that a cheaper model answers already.
	Switched bool
}

// tokens is the most tokens that the call takes with so much output.
func (a ReservationRequest) tokens(output int64) int64 {
	return a.Spent.Total() + a.Prompt + a.beyond(output)
}

// beyond is the most that an answer with a limit may have.
func (a ReservationRequest) beyond(limit int64) int64 {
	return limit + limit*a.BeyondPercent/100 + a.BeyondTokens
}

// within is the highest limit of an answer that may have so much at most,
// negative where there is none.
func (a ReservationRequest) within(most int64) int64 {
	limit := (most - a.BeyondTokens) * 100 / (100 + a.BeyondPercent)
	if limit >= 0 && a.beyond(limit+1) <= most { // what rounding has taken
		limit++
	}
	return limit
}

// Worst is the most that the call takes, in tokens and micro-USD, with so much output.
func (a ReservationRequest) Worst(output int64) (tokens, micros int64) {
	return a.tokens(output), a.micros(output)
}

// micros is the most it costs with so much output.
func (a ReservationRequest) micros(output int64) int64 {
	return a.SpentMicros + a.Price.worst(a.Prompt, a.beyond(output))
}

// BudgetStatus is the state of a budget for one subject in one window.
type BudgetStatus struct {
	Budget
	// Of is its subject: a run, a conversation, a user, a group.
	Of       string
	StartsAt time.Time
	// EndsAt is when the window ends and the budget resets, zero for never.
	EndsAt time.Time
	// Used is settled, Reserved is reserved by calls in progress, Raised is what people
	// have added to the limits in this window.
	UsedTokens, UsedMicros         int64
	ReservedTokens, ReservedMicros int64
	RaisedTokens, RaisedMicros     int64
	// Sharers is how many runs of a tree are about to make a call within the limit: each may
	// reserve its share of what is left. 0 and 1 are the one that asks.
	Sharers int64
	// Told is the highest share, in percent, that people were warned about.
	Told int64
}

// TokenLimit is the limit in tokens with what was added to it, 0 for none.
func (s BudgetStatus) TokenLimit() int64 { return raised(s.LimitTokens, s.RaisedTokens) }

// MicroLimit is the limit in money with what was added to it, 0 for none.
func (s BudgetStatus) MicroLimit() int64 { return raised(s.LimitMicros, s.RaisedMicros) }

func raised(limit, by int64) int64 {
	if limit == 0 {
		return 0
	}
	return limit + by
}

// Percent is how much of the limit is used, of the fuller one where there are two.
func (s BudgetStatus) Percent() int64 {
	return max(percent(s.UsedTokens, s.TokenLimit()), percent(s.UsedMicros, s.MicroLimit()))
}

func percent(used, limit int64) int64 {
	if limit <= 0 {
		return 0
	}
	return int64(float64(used) / float64(limit) * 100)
}

// Reservation is what a reservation grants.
type Reservation struct {
	// ID names the reservation in the ledger.
	ID string
	// Output is the most output tokens that the call may take.
	Output int64
	// At is when the call was counted in: it decides the windows.
	At time.Time
}

// InsufficientBudget says that a call does not fit a budget.
type InsufficientBudget struct {
	BudgetStatus
	// Money says that it is the limit in money.
	Money bool
	// Wait says that it may fit once calls under way have settled.
	Wait bool
	// Switch is the cheaper model that has to answer instead, "" for none.
	Switch string
	// Unpriced says that the model has no price, so that no budget in money can hold it.
	Unpriced bool
	// Next is what the call may take at worst with the least output.
	NextTokens, NextMicros int64
}

func (s *InsufficientBudget) Error() string {
	return "the call does not fit the budget of " + s.Scope()
}

// Scope names the budget on approvals and in events: its subject, then its window
// where that is not the run.
func (s BudgetStatus) Scope() string {
	if s.Span == SpanRun || s.Span == SpanTotal {
		return string(s.Who)
	}
	return string(s.Who) + "_" + string(s.Span)
}

// Fit checks a call against budgets and returns how much output it may have.
// What falls short is the budget in the way, the hardest first: one that will not fit,
// then one that waits for others.
func (a ReservationRequest) Fit(budgets []BudgetStatus) (output int64, short *InsufficientBudget) {
	output = a.WantOutput
	for _, s := range budgets {
		if s.Soft {
			continue
		}
		if s.AtLimit == LimitCheaper && !a.Switched && a.Model != s.Model && s.Percent() >= BudgetWarnAt {
			return 0, a.short(s, InsufficientBudget{Switch: s.Model, Money: s.MicroLimit() > 0})
		}
		room, why := a.room(s)
		switch {
		case why != nil && (short == nil || short.Wait && !why.Wait):
			short = why
		case why == nil:
			output = min(output, room)
		}
	}
	if short != nil {
		return 0, short
	}
	return output, nil
}

// room is how much output one budget allows.
func (a ReservationRequest) room(s BudgetStatus) (int64, *InsufficientBudget) {
	room := a.WantOutput
	if limit := s.TokenLimit(); limit > 0 {
		left := limit - s.UsedTokens - a.Spent.Total() - a.Prompt
		now, ever := a.within(left-s.ReservedTokens), a.within(left)
		if why := a.judge(s, now, ever); why != nil {
			return 0, why
		}
		room = min(room, a.fair(s, now, a.within((limit-s.UsedTokens-s.ReservedTokens)/max(s.Sharers, 1)-a.Spent.Total()-a.Prompt)))
	}
	if limit := s.MicroLimit(); limit > 0 {
		if !a.Priced && !a.AnyPrice && (s.Shared() || !a.OwnAnyPrice) {
			return 0, a.short(s, InsufficientBudget{Money: true, Unpriced: true})
		}
		now := a.outputFor(limit - s.UsedMicros - s.ReservedMicros)
		ever := a.outputFor(limit - s.UsedMicros)
		if why := a.judge(s, now, ever); why != nil {
			why.Money = true
			return 0, why
		}
		room = min(room, a.fair(s, now, a.outputFor((limit-s.UsedMicros-s.ReservedMicros)/max(s.Sharers, 1))))
	}
	return room, nil
}

// fair is how much of the output that fits one of several runs may have: no more than its
// share, so that each gets the same chance, but as much as makes the call worth its prompt.
func (a ReservationRequest) fair(s BudgetStatus, now, share int64) int64 {
	if s.Sharers <= 1 {
		return now
	}
	return min(now, max(share, a.Comfort, a.MinOutput))
}

// judge says what is wrong where a budget has room for so much output now, and
// could have so much once all calls under way had taken nothing.
func (a ReservationRequest) judge(s BudgetStatus, now, ever int64) *InsufficientBudget {
	if ever < a.MinOutput {
		return a.short(s, InsufficientBudget{})
	}
	if now < min(ever, a.WantOutput, cmp.Or(a.Comfort, a.MinOutput)) {
		return a.short(s, InsufficientBudget{Wait: true})
	}
	return nil
}

// outputFor is how much output so much money pays for, -1 where it does not even
// pay for the prompt.
func (a ReservationRequest) outputFor(micros int64) int64 {
	if a.micros(0) > micros {
		return -1
	}
	lo, hi := int64(0), a.WantOutput // the most output whose price fits
	for lo < hi {
		mid := lo + (hi-lo+1)/2
		if a.micros(mid) <= micros {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

func (a ReservationRequest) short(s BudgetStatus, why InsufficientBudget) *InsufficientBudget {
	why.BudgetStatus = s
	why.NextTokens, why.NextMicros = a.tokens(a.MinOutput), a.micros(a.MinOutput)
	return &why
}

// Reason is why a run ends whose call does not fit this budget.
func (s *InsufficientBudget) Reason() StopReason {
	if s.Money {
		return StopCostBudget
	}
	return StopTokenBudget
}
