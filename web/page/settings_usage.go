package page

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/page/chart"
	"fusebox/web/request"
)

// ShowUsage is what a person spends this month, and the budgets that bound it.
func (s *Settings) ShowUsage(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	spend, err := s.ownSpend(ctx, v)
	if err != nil {
		return err
	}
	standings, err := s.Store.BudgetStatusesOf(ctx, v.UserID)
	if err != nil {
		return err
	}
	budgets, err := s.ownBudgetRows(ctx, v, standings)
	if err != nil {
		return err
	}
	frame := s.settingsFrame(c, words(c).T("settings.nav.usage"), "usage")
	return s.render(c, http.StatusOK, page.SettingsUsage(frame, page.UsageProps{Spend: *spend, Budgets: budgets}))
}

// maxOwnRows is how many rows a table of one's own spending shows.
const maxOwnRows = 5

// ownSpend is what a person's month has taken so far; in tokens alone where
// money is hidden from them.
func (s *Settings) ownSpend(ctx context.Context, v agent.Viewer) (*page.OwnSpend, error) {
	hidden := s.Visibility.TokensOnly(v)
	measure := ""
	if hidden {
		measure = chart.Tokens.Name
	}
	r := request.MonthToDate(s.Clock.Now(), s.Zone)
	b, err := s.Bills.newBill(ctx, r, v.UserID, measure)
	if err != nil {
		return nil, err
	}
	own := &page.OwnSpend{Month: r.To.Format(text.T(ctx, "date.month")), Totals: b.sums(), CSV: b.csv(agent.SpendByDay)}
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
	for _, group := range []agent.SpendGroup{agent.SpendByConversation, agent.SpendByModel} {
		if b.top[group], err = s.Bills.topSpend(ctx, b, group); err != nil {
			return nil, err
		}
		table := b.table(group)
		table.More = table.More || len(table.Rows) > maxOwnRows
		table.Rows, table.NoMoney = table.Rows[:min(len(table.Rows), maxOwnRows)], hidden
		own.Tables = append(own.Tables, table)
	}
	return own, nil
}
