package money

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/page/chart"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Usage shows people what they have spent themselves.
type Usage struct {
	*site.Site
	Bills *Bills
}

// Show is what a person spends this month, and the budgets that bound it.
func (s *Usage) Show(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	spent, err := s.spend(ctx, v)
	if err != nil {
		return err
	}
	standings, err := s.Store.BudgetStatusesOf(ctx, v.UserID)
	if err != nil {
		return err
	}
	budgets, err := s.budgets(ctx, v, standings)
	if err != nil {
		return err
	}
	tr := site.Words(c)
	frame := s.Shell(c, site.Within(tr.T("settings.nav.usage"), tr.T("page.title.settings")), "usage")
	return s.Render(c, http.StatusOK, page.SettingsUsage(frame, page.UsageProps{Spend: *spent, Budgets: budgets}))
}

// maxOwnRows is how many rows a table of one's own spending shows.
const maxOwnRows = 5

// spend is what a person's month has taken so far; in tokens alone where
// money is hidden from them.
func (s *Usage) spend(ctx context.Context, v agent.Viewer) (*page.OwnSpend, error) {
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

// budgets are the budgets that bound a user, as that user sees them.
func (s *Usage) budgets(ctx context.Context, v agent.Viewer, standings []agent.BudgetStatus) ([]page.BudgetRow, error) {
	tr, showMoney := text.In(ctx), !s.Visibility.TokensOnly(v)
	rows := make([]page.BudgetRow, len(standings))
	for i, st := range standings {
		name := st.Of
		if st.Who == agent.WhoUser {
			name = text.T(ctx, "page.budgets.you")
		}
		rows[i] = page.BudgetRow{
			ID: st.ID, Title: present.BudgetTitle(tr, st.Budget, name), Soft: st.Soft, AtLimit: present.AtLimitWords(tr, st.Budget), Reset: present.ResetOf(tr, st.EndsAt, s.Zone),
		}
		if st.Who == agent.WhoRun || st.Who == agent.WhoConversation {
			rows[i].Each = eachLimit(text.In(ctx), st.Budget, showMoney)
		} else {
			rows[i].Meters = present.BudgetMeters(tr, st, showMoney)
		}
	}
	return rows, nil
}
