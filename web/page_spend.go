package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
)

// maxSpendRows is how many sums a table of the page shows; its CSV has all.
const maxSpendRows = 20

// pageSpend shows the bill over a range of days: totals, a chart by day and
// model, and what it was spent on.
func (s *Server) pageSpend(c echo.Context) error {
	status, fields := http.StatusOK, map[string]string{}
	r, err := parseSpendRange(c.QueryParams(), s.Clock.Now())
	if err != nil {
		status, fields = http.StatusUnprocessableEntity, fieldErrors(err)
	}
	bill, err := s.readBill(c.Request().Context(), r)
	if err != nil {
		return err
	}
	props := bill.props(c.QueryParam("measure"), s.Clock.Now())
	props.Errors = fields
	if status != http.StatusOK { // what was typed stays
		props.From, props.To, props.Zone = c.QueryParam("from"), c.QueryParam("to"), c.QueryParam("tz")
	}
	frame := s.shell(c, "Spend", "spend")
	return s.render(c, status, page.Spend(frame, props))
}

// bill is the ledger of a range, summed in every way the page shows.
type bill struct {
	r        spendRange
	byDay    []agent.SpendRow // one per day and model
	byGroup  map[agent.SpendGroup][]agent.SpendRow
	totals   agent.SpendRow
	anything bool
}

// spendTables are the tables of the page, in their order.
var spendTables = []struct {
	group         agent.SpendGroup
	title, column string
}{
	{agent.SpendByUser, "By user", "User"},
	{agent.SpendByModel, "By model", "Model"},
	{agent.SpendByConversation, "By conversation", "Conversation"},
}

func (s *Server) readBill(ctx context.Context, r spendRange) (*bill, error) {
	b := &bill{r: r, byGroup: map[agent.SpendGroup][]agent.SpendRow{}}
	var err error
	if b.byDay, err = s.Store.SpendByDayAndModel(ctx, r.query(agent.SpendByDay)); err != nil {
		return nil, err
	}
	for _, t := range spendTables {
		if b.byGroup[t.group], err = s.Store.Spend(ctx, r.query(t.group)); err != nil {
			return nil, err
		}
	}
	b.totals = sumSpend(b.byGroup[agent.SpendByConversation])
	b.anything = b.totals.Runs > 0
	return b, nil
}

// sumSpend adds rows up. Runs may be added over conversations only: a run has
// one conversation, but it may span days and models.
func sumSpend(rows []agent.SpendRow) (t agent.SpendRow) {
	for _, r := range rows {
		t.Runs += r.Runs
		t.InputTokens += r.InputTokens
		t.CachedTokens += r.CachedTokens
		t.OutputTokens += r.OutputTokens
		t.CostMicros += r.CostMicros
	}
	return t
}

func (b *bill) props(wanted string, now time.Time) page.SpendProps {
	m := b.measure(wanted)
	p := page.SpendProps{
		From: b.r.From.Format(dayFormat), To: b.r.To.Format(dayFormat), Zone: b.r.Zone.String(),
		Measure: m.name, Presets: b.presets(m, now), Empty: !b.anything, CSV: b.csv(agent.SpendByDay),
	}
	if p.Empty {
		return p
	}
	p.Totals = spendTotals(b.totals)
	for _, option := range []struct {
		label string
		m     chartMeasure
	}{{"Money", measureCost}, {"Tokens", measureTokens}} {
		p.Measures = append(p.Measures, page.Preset{
			Label: option.label, Href: spendHref(b.r, option.m), Current: option.m.name == m.name,
		})
	}
	spans, spanOf := b.r.spans()
	p.Chart = newChartTable(b.byDay, spans, spanOf, m).layOut(m.title(spans), m)
	for _, t := range spendTables {
		p.Tables = append(p.Tables, b.table(t.group, t.title, t.column, m))
	}
	return p
}

// measure is what the chart counts: what was asked for, else money, else
// tokens where all models are free.
func (b *bill) measure(wanted string) chartMeasure {
	if wanted == measureTokens.name || wanted == "" && b.totals.CostMicros == 0 {
		return measureTokens
	}
	return measureCost
}

func (m chartMeasure) title(spans []chartSpan) string {
	title := "Cost per "
	if m.name == measureTokens.name {
		title = "Tokens per "
	}
	if len(spans) > 0 && len(spans[0].Key) == len(dayFormat) {
		return title + "day"
	}
	return title + "month"
}

// presets are the common ranges. They keep the zone.
func (b *bill) presets(m chartMeasure, now time.Time) []page.Preset {
	var out []page.Preset
	for _, p := range []struct {
		label string
		r     spendRange
	}{
		{"7 days", lastDays(7, now, b.r.Zone)},
		{"30 days", lastDays(30, now, b.r.Zone)},
		{"Month to date", monthToDate(now, b.r.Zone)},
	} {
		out = append(out, page.Preset{Label: p.label, Href: spendHref(p.r, m), Current: p.r.From.Equal(b.r.From) && p.r.To.Equal(b.r.To)})
	}
	return out
}

func spendHref(r spendRange, m chartMeasure) string {
	q := r.values()
	q.Set("measure", m.name)
	return "/admin/spend?" + q.Encode()
}

func (b *bill) csv(group agent.SpendGroup) string {
	q := b.r.values()
	q.Set("group", string(group))
	return "/admin/spend.csv?" + q.Encode()
}

func spendTotals(t agent.SpendRow) []page.Total {
	return []page.Total{
		{Label: "Cost", Value: money(t.CostMicros), Exact: fmt.Sprintf("%d micro-USD", t.CostMicros)},
		{Label: "Runs", Value: tokens(t.Runs), Exact: fmt.Sprint(t.Runs)},
		{Label: "Tokens in", Value: tokens(t.InputTokens), Note: tokens(t.CachedTokens) + " of them cached", Exact: fmt.Sprint(t.InputTokens)},
		{Label: "Tokens out", Value: tokens(t.OutputTokens), Exact: fmt.Sprint(t.OutputTokens)},
	}
}

// table is the rows of one group, the highest first.
func (b *bill) table(group agent.SpendGroup, title, column string, m chartMeasure) page.SpendTable {
	rows := slices.Clone(b.byGroup[group])
	slices.SortStableFunc(rows, func(x, y agent.SpendRow) int {
		return cmp.Or(cmp.Compare(m.value(y), m.value(x)), strings.Compare(x.Key, y.Key))
	})
	t := page.SpendTable{ID: "by-" + string(group), Title: title, Column: column, CSV: b.csv(group), More: max(0, len(rows)-maxSpendRows)}
	for _, r := range rows[:min(len(rows), maxSpendRows)] {
		line := page.SpendLine{
			Label: cmp.Or(r.Label, r.Key), Runs: tokens(r.Runs), Input: tokens(r.InputTokens), Cached: tokens(r.CachedTokens),
			Output: tokens(r.OutputTokens), Amount: money(r.CostMicros), Share: share(m.value(r), m.value(b.totals)),
		}
		if group == agent.SpendByConversation {
			line.Href = "/c/" + url.PathEscape(r.Key)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// share is part of whole in per cent.
func share(part, whole int64) string {
	if whole == 0 {
		return "0"
	}
	return unit(float64(part) / float64(whole) * 100)
}
