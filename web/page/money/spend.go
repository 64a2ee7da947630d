package money

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/live"
	"fusebox/web/page/chart"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Spend shows the pages about spend and takes their forms.
type Spend struct {
	*site.Site
	Bills   *Bills
	Streams *live.Streams
}

// Show shows the bill over a range of days: totals, a chart by day and
// model, what it was spent on, and what the breakers saved.
func (s *Spend) Show(c echo.Context) error {
	status, fields := http.StatusOK, map[string]string{}
	ctx := c.Request().Context()
	r, err := request.ParseSpendRange(c.QueryParams(), s.Clock.Now())
	if err != nil {
		status, fields = http.StatusUnprocessableEntity, request.FieldErrors(site.Words(c), err)
	}
	bill, err := s.Bills.readBill(ctx, r, c.QueryParam("measure"))
	if err != nil {
		return err
	}
	hidden, err := s.Store.Setting(ctx, agent.MoneyHiddenKey)
	if err != nil {
		return err
	}
	props := bill.props(s.Clock.Now())
	props.Errors, props.MoneyHidden = fields, hidden == "true"
	if status != http.StatusOK { // what was typed stays
		props.From, props.To, props.Zone = c.QueryParam("from"), c.QueryParam("to"), c.QueryParam("tz")
	}
	frame := s.Shell(c, site.Words(c).T("page.title.spend"), "spend")
	return s.Render(c, status, page.Spend(frame, props))
}

func (b *bill) props(now time.Time) page.SpendProps {
	p := page.SpendProps{
		From: b.r.From.Format(request.DayFormat), To: b.r.To.Format(request.DayFormat), Zone: b.r.Zone.String(),
		Period: b.period(now), Measure: b.m.Name, Presets: b.presets(now), Empty: b.total.Lines == 0, CSV: b.csv(agent.SpendByDay),
	}
	if p.Empty {
		return p
	}
	p.Totals, p.Hints = b.totals(), b.hints()
	for _, option := range []struct {
		label string
		m     chart.Measure
	}{{b.words.T("page.spend.money"), chart.Cost}, {b.words.T("page.spend.tokens"), chart.Tokens}} {
		p.Measures = append(p.Measures, page.Preset{
			Label: option.label, Href: spendHref(b.r, option.m), Current: option.m.Name == b.m.Name,
		})
	}
	p.Chart = b.chart()
	for _, group := range spendTables {
		p.Tables = append(p.Tables, b.table(group))
	}
	p.Saved = b.savedTable()
	return p
}

// period names the range: a common one by its name, others by their days.
func (b *bill) period(now time.Time) string {
	for _, p := range b.presets(now) {
		if p.Current {
			return p.Label
		}
	}
	short := b.words.T("date.short")
	return b.words.T("page.spend.span", b.r.From.Format(short), b.r.To.Format(short))
}

// chart draws the bill by day, week or month.
func (b *bill) chart() page.Chart {
	t := chart.New(b.words, b.columns, b.r.Spans(), b.m).Begun()
	c := t.LayOut(b.chartTitle(), b.m)
	c.Line = b.budgetLine(chart.NiceCeiling(t.Highest()))
	return c
}

func (b *bill) chartTitle() string {
	if b.m.Name == chart.Tokens.Name {
		return map[agent.BudgetSpan]string{
			agent.SpanDay: b.words.T("page.spend.tokens_per_day"), agent.SpanWeek: b.words.T("page.spend.tokens_per_week"),
			agent.SpanMonth: b.words.T("page.spend.tokens_per_month"),
		}[b.r.Span()]
	}
	return map[agent.BudgetSpan]string{
		agent.SpanDay: b.words.T("page.spend.cost_per_day"), agent.SpanWeek: b.words.T("page.spend.cost_per_week"),
		agent.SpanMonth: b.words.T("page.spend.cost_per_month"),
	}[b.r.Span()]
}

// presets are the common ranges. They keep the zone.
func (b *bill) presets(now time.Time) []page.Preset {
	var out []page.Preset
	for _, p := range []struct {
		label string
		r     request.SpendRange
	}{
		{b.words.T("page.spend.today"), request.LastDays(1, now, b.r.Zone)},
		{present.CountOfDays(b.words, 7), request.LastDays(7, now, b.r.Zone)},
		{present.CountOfDays(b.words, 30), request.LastDays(30, now, b.r.Zone)},
		{b.words.T("page.spend.month"), request.MonthToDate(now, b.r.Zone)},
		{b.words.T("page.spend.last_month"), request.LastMonth(now, b.r.Zone)},
		{b.words.T("page.spend.year"), request.LastYear(now, b.r.Zone)},
	} {
		out = append(out, page.Preset{Label: p.label, Href: spendHref(p.r, b.m), Current: p.r.Same(b.r)})
	}
	return out
}

func spendHref(r request.SpendRange, m chart.Measure) string {
	q := r.Values()
	q.Set("measure", m.Name)
	return "/admin/spend?" + q.Encode()
}

// csv is where a group of the bill is a file.
func (b *bill) csv(group agent.SpendGroup) string {
	q := b.r.Values()
	q.Set("group", string(group))
	if b.userID != "" {
		q.Set("format", "csv")
		q.Set("mine", "true")
		return "/api/v1/spend?" + q.Encode()
	}
	return "/admin/spend.csv?" + q.Encode()
}

// CSV is the bill as a file to download, by day, user, model, conversation or tool.
func (s *Spend) CSV(c echo.Context) error {
	q, err := request.SpendQuery(s.Clock, s.Visibility, c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Spend(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return request.WriteSpendCSV(c, q.Group, rows)
}

// HideMoney sets on the page who sees costs. Streams that are open
// end; their readers come back and find it so.
func (s *Spend) HideMoney(c echo.Context) error {
	value, said := "", site.Words(c).T("page.spend.money_shown")
	if c.FormValue("hidden") == "true" {
		value, said = "true", site.Words(c).T("page.spend.money_hidden")
	}
	if err := s.Store.SetSetting(c.Request().Context(), request.Viewer(c).Email, agent.MoneyHiddenKey, value); err != nil {
		return err
	}
	s.Streams.EndViewers(func(v agent.Viewer) bool { return v.Role != agent.RoleAdmin })
	return s.Back(c, "/admin/spend", said)
}
