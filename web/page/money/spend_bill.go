package money

import (
	"context"
	"errors"
	"sync"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/text"
	"fusebox/web/page/chart"
	"fusebox/web/request"
)

// Bills sum the ledger for pages.
type Bills struct {
	Store service.Store
	Clock agent.Clock
}

// maxSpendRows is how many sums a table of the page shows; its CSV has all.
const maxSpendRows = 20

// spendTables are the tables of the page, in their order.
var spendTables = []agent.SpendGroup{agent.SpendByUser, agent.SpendByConversation, agent.SpendByModel, agent.SpendByTool}

// bill is the ledger of a range, summed in every way a page shows. userID ""
// takes everybody.
type bill struct {
	words   *text.Printer
	r       request.SpendRange
	userID  string
	m       chart.Measure
	columns []agent.SpendRow                      // one per column of the chart and model
	top     map[agent.SpendGroup][]agent.SpendRow // the first rows of each group, and one more
	total   agent.SpendRow
	saved   []agent.GuardStat
	named   []agent.NamedCost
	ahead   *forecast
	// before is the sum of the same days of last month, nil where another range is shown.
	before *agent.SpendRow
	budget *agent.BudgetStatus
	// monthSoFar says that the range is this month until today.
	monthSoFar bool
}

// newBill begins with the total: it says what the rest is ordered by.
func (s *Bills) newBill(ctx context.Context, r request.SpendRange, userID, measure string) (*bill, error) {
	b := &bill{words: text.In(ctx), r: r, userID: userID, top: map[agent.SpendGroup][]agent.SpendRow{}}
	total, err := s.Store.SpendTotal(ctx, b.query(agent.SpendByDay))
	b.total, b.m = total, chart.Cost
	b.monthSoFar = r.Same(request.MonthToDate(s.Clock.Now(), r.Zone))
	if measure == chart.Tokens.Name || measure == "" && total.CostMicros == 0 {
		b.m = chart.Tokens // where all models are free, too
	}
	return b, err
}

func (b *bill) query(group agent.SpendGroup) agent.SpendQuery {
	q := b.r.Query(group)
	q.UserID, q.ByTokens = b.userID, b.m.Name == chart.Tokens.Name
	return q
}

// readBill reads all that the page of admins shows.
func (s *Bills) readBill(ctx context.Context, r request.SpendRange, measure string) (*bill, error) {
	b, err := s.newBill(ctx, r, "", measure)
	if err != nil || b.total.Lines == 0 {
		return b, err
	}
	var mu sync.Mutex
	reads := []func() error{
		func() (err error) { b.columns, err = s.chartRows(ctx, b); return err },
		func() (err error) {
			b.saved, err = s.Store.GuardStats(ctx, b.query("").From, b.query("").To)
			return err
		},
		func() (err error) {
			b.named, err = s.Store.NamedCosts(ctx, b.query("").From, b.query("").To)
			return err
		},
		func() error { return s.readBefore(ctx, b) },
		func() (err error) { b.ahead, err = s.forecast(ctx, b); return err },
		func() (err error) { b.budget, err = s.instanceBudget(ctx, b); return err },
	}
	for _, group := range spendTables {
		reads = append(reads, func() error {
			top, err := s.topSpend(ctx, b, group)
			mu.Lock()
			defer mu.Unlock()
			b.top[group] = top
			return err
		})
	}
	return b, together(reads...)
}

func (s *Bills) chartRows(ctx context.Context, b *bill) ([]agent.SpendRow, error) {
	q := b.query(agent.SpendByDay)
	q.Span = b.r.Span()
	return s.Store.SpendByDayAndModel(ctx, q)
}

func (s *Bills) topSpend(ctx context.Context, b *bill, group agent.SpendGroup) ([]agent.SpendRow, error) {
	q := b.query(group)
	if q.Limit = maxSpendRows + 1; group == agent.SpendByModel {
		q.Limit = 0 // those without a price come last, and a notice counts them
	}
	return s.Store.Spend(ctx, q)
}

// together reads side by side and returns when all have. The store bounds how
// many read at once.
func together(reads ...func() error) error {
	errs := make([]error, len(reads))
	var wg sync.WaitGroup
	for i, read := range reads {
		wg.Go(func() { errs[i] = read() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// instanceBudget is everybody's budget in money for this month, nil where there is
// none or other days are shown.
func (s *Bills) instanceBudget(ctx context.Context, b *bill) (*agent.BudgetStatus, error) {
	if !b.monthSoFar {
		return nil, nil
	}
	list, err := s.Store.BudgetStatuses(ctx)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	for _, st := range list {
		applies := !now.Before(st.StartsAt) && now.Before(st.EndsAt)
		if applies && st.Who == agent.WhoEverybody && st.Span == agent.SpanMonth && st.MicroLimit() > 0 {
			return &st, nil
		}
	}
	return nil, nil
}
