package store_test

import (
	"fmt"
	"time"

	"fusebox/agent"
)

// oracle is what the budgets of an instance must be, kept in plain maps: the calls
// that are open, the lines that were billed, and what was added to limits.
type oracle struct {
	zone    *time.Location
	open    map[string]*oracleCall // by run
	lines   []oracleCall
	budgets map[string]*agent.Budget // those that hold
	raised  map[oracleAccount]agent.LimitIncrease
	opened  map[oracleAccount]bool
	told    map[oracleAccount]map[string]int
}

// oracleCall is a model call: what it holds, or what it took.
type oracleCall struct {
	run, conversation, user, group string
	at                             time.Time
	step                           int
	tokens, micros                 int64
	spent                          agent.Usage
	spentMicros                    int64
	prompt, output                 int64
}

type oracleAccount struct {
	budget, subject string
	starts          int64
}

func newOracle(zone *time.Location) *oracle {
	return &oracle{
		zone: zone, open: map[string]*oracleCall{}, budgets: map[string]*agent.Budget{}, raised: map[oracleAccount]agent.LimitIncrease{},
		opened: map[oracleAccount]bool{}, told: map[oracleAccount]map[string]int{},
	}
}

// accountOf is where a call counts in a budget, false where it does not.
func (o *oracle) accountOf(b agent.Budget, c oracleCall) (oracleAccount, bool) {
	start, _ := b.Span.Window(c.at, o.zone)
	a := oracleAccount{budget: b.ID, starts: start.UnixMilli()}
	counts := true
	switch b.Who {
	case agent.WhoRun:
		a.subject = c.run
	case agent.WhoConversation:
		a.subject = c.conversation
	case agent.WhoUser:
		a.subject, counts = c.user, b.Subject == "" || b.Subject == c.user
	case agent.WhoGroup:
		a.subject, counts = c.group, b.Subject == c.group
	}
	return a, counts
}

// sums are what is used and what is held of a budget where a call counts.
func (o *oracle) sums(b agent.Budget, a oracleAccount) (used, held agent.LimitIncrease) {
	for _, l := range o.lines {
		if at, counts := o.accountOf(b, l); counts && at == a {
			used.Tokens, used.Micros = used.Tokens+l.tokens, used.Micros+l.micros
		}
	}
	for _, c := range o.open {
		if at, counts := o.accountOf(b, *c); counts && at == a {
			held.Tokens, held.Micros = held.Tokens+c.tokens, held.Micros+c.micros
		}
	}
	return used, held
}

// touch notes that a call has opened its accounts.
func (o *oracle) touch(c oracleCall) {
	for _, b := range o.budgets {
		if a, counts := o.accountOf(*b, c); counts {
			o.opened[a] = true
		}
	}
}

// passed names a hard budget that is passed where a call counts, "" for none. c
// is among the open calls.
func (o *oracle) passed(c oracleCall) string {
	for _, b := range o.budgets {
		a, counts := o.accountOf(*b, c)
		if !counts || b.Soft {
			continue
		}
		used, held := o.sums(*b, a)
		by := o.raised[a]
		if b.LimitTokens > 0 && used.Tokens+held.Tokens > b.LimitTokens+by.Tokens || b.LimitMicros > 0 && used.Micros+held.Micros > b.LimitMicros+by.Micros {
			return fmt.Sprintf("budget %+v for %q: used %+v, held %+v, raised %+v", *b, a.subject, used, held, by)
		}
	}
	return ""
}

// hear counts what was told of a call's budgets.
func (o *oracle) hear(c oracleCall, e agent.BudgetEvent) {
	if b := o.budgets[e.BudgetID]; b != nil && e.Level != "" {
		a, _ := o.accountOf(*b, c)
		if o.told[a] == nil {
			o.told[a] = map[string]int{}
		}
		o.told[a][e.Level]++
	}
}

// untold names what people were told twice, or not at all, of a call's budgets.
func (o *oracle) untold(c oracleCall) string {
	for _, b := range o.budgets {
		a, counts := o.accountOf(*b, c)
		if !counts {
			continue
		}
		used, _ := o.sums(*b, a)
		share := max(o.share(used.Tokens, b.LimitTokens, o.raised[a].Tokens), o.share(used.Micros, b.LimitMicros, o.raised[a].Micros))
		told := o.told[a]
		switch {
		case told["warning"] > 1 || told["reached"] > 1:
		case share >= 100 && told["reached"] == 0:
		case share >= 80 && told["warning"]+told["reached"] == 0:
		default:
			continue
		}
		return fmt.Sprintf("of %d %% of budget %+v for %q was told: %v", share, *b, a.subject, told)
	}
	return ""
}

func (o *oracle) share(used, limit, raised int64) int64 {
	if limit == 0 {
		return 0
	}
	return used * 100 / (limit + raised)
}

// differs compares an account as the store has it.
func (o *oracle) differs(st agent.BudgetStatus) string {
	a := oracleAccount{st.ID, st.Of, st.StartsAt.UnixMilli()}
	b := o.budgets[st.ID]
	if b == nil {
		return "a budget is listed that does not hold: " + st.ID
	}
	if b.EachByItself() && st.Of == "" || !o.opened[a] && b.Who != agent.WhoEverybody {
		return "" // nobody's account
	}
	used, held := o.sums(*b, a)
	by := o.raised[a]
	if !o.opened[a] {
		held = agent.LimitIncrease{}
	}
	if used.Tokens != st.UsedTokens || used.Micros != st.UsedMicros || held.Tokens != st.ReservedTokens || held.Micros != st.ReservedMicros ||
		by.Tokens != st.RaisedTokens || by.Micros != st.RaisedMicros {
		return fmt.Sprintf("budget %+v for %q from %s: used %+v, held %+v, raised %+v", st, st.Of, st.StartsAt, used, held, by)
	}
	return ""
}
