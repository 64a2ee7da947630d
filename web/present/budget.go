package present

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// budgetOf names the subject of a budget; name is the user's address or
// the group's name, "" for each by itself.
func budgetOf(tr *text.Printer, who agent.BudgetWho, name string) string {
	switch who {
	case agent.WhoGroup:
		if name == "" {
			return tr.T("present.budget.each_group")
		}
		return tr.T("present.budget.group", name)
	case agent.WhoUser:
		if name == "" {
			return tr.T("present.budget.each_user")
		}
		return name
	case agent.WhoEverybody:
		return tr.T("present.budget.everybody")
	case agent.WhoConversation:
		return tr.T("present.budget.each_conversation")
	case agent.WhoRun:
		return tr.T("present.budget.each_run")
	default:
		return string(who)
	}
}

// BudgetTitle names a budget by its subject and its window.
func BudgetTitle(tr *text.Printer, b agent.Budget, name string) string {
	who := budgetOf(tr, b.Who, name)
	switch b.Span {
	case agent.SpanDay:
		return tr.T("present.budget.each_day", who)
	case agent.SpanWeek:
		return tr.T("present.budget.each_week", who)
	case agent.SpanMonth:
		return tr.T("present.budget.each_month", who)
	default:
		return who
	}
}

// scopeTitle names the budget of a card or an event, whose scope is its subject
// and its window; name is the user's address or the group's name.
func scopeTitle(tr *text.Printer, scope, name string) string {
	who, span := cutScope(scope)
	var title string
	switch who {
	case agent.WhoRun:
		title = tr.T("present.budget.this_run")
	case agent.WhoConversation:
		title = tr.T("present.budget.this_conversation")
	default:
		title = budgetOf(tr, who, name)
	}
	switch span {
	case agent.SpanDay:
		return tr.T("present.budget.today", title)
	case agent.SpanWeek:
		return tr.T("present.budget.this_week", title)
	case agent.SpanMonth:
		return tr.T("present.budget.this_month", title)
	default:
		return title
	}
}

// cutScope takes a scope apart. That of a run's money is the run's.
func cutScope(scope string) (agent.BudgetWho, agent.BudgetSpan) {
	who, span, _ := strings.Cut(scope, "_")
	return agent.BudgetWho(who), agent.BudgetSpan(span)
}

// AtLimitWords say what happens to a call that does not fit.
func AtLimitWords(tr *text.Printer, b agent.Budget) string {
	switch {
	case b.Soft:
		return tr.T("present.budget.limit.warn")
	case b.AtLimit == agent.LimitStop:
		return tr.T("present.budget.limit.stop")
	case b.AtLimit == agent.LimitCheaper:
		return tr.T("present.budget.limit.cheaper", b.Model)
	default:
		return tr.T("present.budget.limit.pause")
	}
}

type amounts struct{ used, held, raised, limit int64 }

// BudgetMeters are the limits of a budget and how much of them is used; money
// says whether amounts of money may be shown.
func BudgetMeters(tr *text.Printer, s agent.BudgetStatus, showMoney bool) []part.BudgetMeter {
	var meters []part.BudgetMeter
	if s.LimitMicros > 0 {
		m := budgetMeter(tr.T("present.budget.money"), amounts{s.UsedMicros, s.ReservedMicros, s.RaisedMicros, s.MicroLimit()}, Money)
		if !showMoney {
			m.Used, m.Limit, m.Held, m.Raised, m.Left = "", "", "", "", ""
		}
		meters = append(meters, m)
	}
	if s.LimitTokens > 0 {
		meters = append(meters, budgetMeter(tr.T("present.budget.tokens"), amounts{s.UsedTokens, s.ReservedTokens, s.RaisedTokens, s.TokenLimit()}, tr.Amount))
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

// ResetOf is when a window ends, in the instance's zone; nil for never.
func ResetOf(tr *text.Printer, at time.Time, zone *time.Location) *part.BudgetReset {
	if at.IsZero() {
		return nil
	}
	return &part.BudgetReset{Text: at.In(zone).Format(tr.T("date.day_time")), At: at}
}
