package page

import (
	"context"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/request"
)

// maxOwnRows is how many rows a table of one's own spending shows.
const maxOwnRows = 5

// ownSpend is what a person's month has taken so far; in tokens alone where
// money is hidden from him.
func (s *Settings) ownSpend(ctx context.Context, v agent.Viewer) (*page.OwnSpend, error) {
	hidden := s.Visibility.TokensOnly(v)
	measure := ""
	if hidden {
		measure = measureTokens.name
	}
	r := request.MonthToDate(s.Clock.Now(), s.Zone)
	b, err := s.Bills.newBill(ctx, r, v.UserID, measure)
	if err != nil {
		return nil, err
	}
	own := &page.OwnSpend{Month: r.To.Format("January"), Totals: spendTotals(b.words, b.total), CSV: b.csv(agent.SpendByDay)}
	if hidden {
		own.Totals = own.Totals[1:]
	}
	if b.total.Lines == 0 {
		return own, nil
	}
	if b.columns, err = s.Bills.chartRows(ctx, b); err != nil {
		return nil, err
	}
	own.Chart = b.chart()
	for _, t := range spendTables {
		if t.group != agent.SpendByConversation && t.group != agent.SpendByModel {
			continue
		}
		if b.top[t.group], err = s.Bills.topSpend(ctx, b, t.group); err != nil {
			return nil, err
		}
		table := b.table(t.group, t.title, t.column)
		table.More = table.More || len(table.Rows) > maxOwnRows
		table.Rows, table.NoMoney = table.Rows[:min(len(table.Rows), maxOwnRows)], hidden
		own.Tables = append(own.Tables, table)
	}
	return own, nil
}
