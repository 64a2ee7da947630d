package present

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
)

// budgetOf says whose spending a budget bounds; name is the user's address or
// the group's name, "" for each by itself.
func budgetOf(who agent.BudgetWho, name string) string {
	switch {
	case who == agent.WhoGroup:
		return strings.TrimSpace("Group " + name)
	case who == agent.WhoUser && name != "":
		return name
	case who == agent.WhoEverybody:
		return "Everybody"
	default:
		return "Each " + string(who)
	}
}

// spanWords are a window as a rule has it, and as it is now.
var spanWords = map[agent.BudgetSpan]struct{ each, now string }{
	agent.SpanDay: {", each day", "today"}, agent.SpanWeek: {", each week", "this week"}, agent.SpanMonth: {", each month", "this month"},
}

// BudgetTitle names a rule: whom it bounds, and in which window.
func BudgetTitle(b agent.Budget, name string) string {
	return budgetOf(b.Who, name) + spanWords[b.Span].each
}

// scopeTitle names the budget of a card or an event, whose scope is its subject
// and its window; name is the user's address or the group's name.
func scopeTitle(scope, name string) string {
	who, span := cutScope(scope)
	title := budgetOf(who, name)
	if who == agent.WhoRun || who == agent.WhoConversation {
		title = "This " + string(who)
	}
	if now := spanWords[span].now; now != "" {
		title += ", " + now
	}
	return title
}

// cutScope takes a scope apart. That of a run's money is the run's.
func cutScope(scope string) (agent.BudgetWho, agent.BudgetSpan) {
	who, span, _ := strings.Cut(scope, "_")
	return agent.BudgetWho(who), agent.BudgetSpan(span)
}

// AtLimitWords say what happens to a call that does not fit.
func AtLimitWords(b agent.Budget) string {
	switch {
	case b.Soft:
		return "Warns at 80 and at 100 %, and holds nothing up."
	case b.AtLimit == agent.LimitStop:
		return "A run whose next call does not fit is stopped."
	case b.AtLimit == agent.LimitCheaper:
		return "From 80 % on " + b.Model + " answers; what does not fit even so asks an admin."
	default:
		return "A run whose next call does not fit is paused and asks an admin."
	}
}

// amounts are the figures of one limit.
type amounts struct{ used, held, raised, limit int64 }

// BudgetMeters are the limits of a budget and how much of them is used; money
// says whether amounts of money may be shown.
func BudgetMeters(s agent.BudgetStatus, showMoney bool) []part.BudgetMeter {
	var meters []part.BudgetMeter
	if s.LimitMicros > 0 {
		m := budgetMeter("Money", amounts{s.UsedMicros, s.ReservedMicros, s.RaisedMicros, s.MicroLimit()}, Money)
		if !showMoney {
			m.Used, m.Limit, m.Held, m.Raised, m.Left = "", "", "", "", ""
		}
		meters = append(meters, m)
	}
	if s.LimitTokens > 0 {
		meters = append(meters, budgetMeter("Tokens", amounts{s.UsedTokens, s.ReservedTokens, s.RaisedTokens, s.TokenLimit()}, Tokens))
	}
	return meters
}

func budgetMeter(name string, a amounts, write func(int64) string) part.BudgetMeter {
	m := part.BudgetMeter{
		Name: name, Used: write(a.used), Limit: write(a.limit), Left: write(max(0, a.limit-a.used-a.held)), Level: part.Cool,
		Percent: percentOf(a.used, a.limit), HeldPercent: percentOf(a.held, a.limit),
	}
	if a.held > 0 {
		m.Held = write(a.held)
	}
	if a.raised > 0 {
		m.Raised = write(a.raised)
	}
	switch {
	case a.used >= a.limit:
		m.Level = part.Tripped
	case m.Percent >= agent.BudgetWarnAt:
		m.Level = part.Warm
	}
	return m
}

// percentOf is a part in per cent, rounded down.
func percentOf(part, whole int64) int {
	if whole <= 0 {
		return 0
	}
	return int(float64(part) / float64(whole) * 100)
}

// FullestFirst sorts accounts by their share.
func FullestFirst(all []agent.BudgetStatus) {
	slices.SortStableFunc(all, func(a, b agent.BudgetStatus) int { return cmp.Compare(b.Percent(), a.Percent()) })
}

// ResetOf is when a window ends, in the house's zone; nil for never.
func ResetOf(at time.Time, zone *time.Location) *part.BudgetReset {
	if at.IsZero() {
		return nil
	}
	return &part.BudgetReset{Text: at.In(zone).Format("2 January 15:04"), At: at}
}
