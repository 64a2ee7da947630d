package money

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/page/chart"
	"fusebox/web/present"
	"fusebox/web/request"
)

// sameDaysBefore is the same part of the month before: from its first to the same day,
// or to its last one where it is shorter.
func sameDaysBefore(r request.SpendRange) request.SpendRange {
	first := request.StartOfDay(r.From, r.Zone, -1)
	first = request.StartOfDay(first, r.Zone, 1-first.Day())
	last := request.StartOfDay(first, r.Zone, r.To.In(r.Zone).Day()-1)
	if end := request.StartOfDay(r.From, r.Zone, -1); last.After(end) {
		last = end
	}
	return request.SpendRange{From: first, To: last, Zone: r.Zone}
}

// readBefore sums the same days of last month, where the range is the month so far.
func (s *Bills) readBefore(ctx context.Context, b *bill) error {
	if !b.monthSoFar {
		return nil
	}
	q := sameDaysBefore(b.r).Query("")
	q.UserID = b.userID
	total, err := s.Store.SpendTotal(ctx, q)
	b.before = &total
	return err
}

// comparison says how the sum relates to the same days of last month, "" where that is
// not known.
func (b *bill) comparison() string {
	if b.before == nil {
		return ""
	}
	was, now := b.m.Value(*b.before), b.m.Value(b.total)
	switch {
	case was == 0:
		return b.words.T("page.spend.before_none")
	case now > was:
		return b.words.T("page.spend.before_more", percentOf(now-was, was), b.m.Show(b.words, was))
	case now < was:
		return b.words.T("page.spend.before_less", percentOf(was-now, was), b.m.Show(b.words, was))
	default:
		return b.words.T("page.spend.before_same")
	}
}

// percentOf is a part of a whole in whole per cent, at least one.
func percentOf(part, whole int64) int64 { return max(1, (part*100+whole/2)/whole) }

// budgetLine is what the month's budget leaves for each day, as a line across the chart;
// nil where there is none, or the bars would vanish below it.
func (b *bill) budgetLine(top int64) *page.ChartLine {
	if b.budget == nil || b.m.Name != chart.Cost.Name {
		return nil
	}
	perDay := b.budget.MicroLimit() / int64(daysOfMonth(b.r.To))
	if perDay <= 0 || perDay > top {
		return nil
	}
	return &page.ChartLine{
		Y:     present.Unit(page.ChartHeight - chart.BarHeight(perDay, top)),
		Label: b.words.T("page.spend.budget_line", present.Money(perDay)),
	}
}

func daysOfMonth(t time.Time) int {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// forecastDays is how many full days the forecast takes the mean of.
const forecastDays = 7

// forecast is what a month will have taken at its end.
type forecast struct {
	amount int64
	by     time.Time // the month's last day
	days   int       // that the mean was taken of
}

// forecast goes on with the mean of the last full days for what is left of the
// month. nil where the range is not the month so far, or nothing is known.
func (s *Bills) forecast(ctx context.Context, b *bill) (*forecast, error) {
	now := s.Clock.Now()
	if !b.monthSoFar {
		return nil, nil
	}
	before := request.SpendRange{From: request.StartOfDay(b.r.To, b.r.Zone, -forecastDays), To: request.StartOfDay(b.r.To, b.r.Zone, -1), Zone: b.r.Zone}
	q := before.Query(agent.SpendByDay)
	q.UserID = b.userID
	days, err := s.Store.Spend(ctx, q)
	if err != nil || len(days) == 0 {
		return nil, err
	}
	n := forecastDays
	if days[0].Key != before.From.Format(request.DayFormat) { // did the ledger begin within these days?
		q.From, q.To = time.UnixMilli(0), before.From
		older, err := s.Store.SpendTotal(ctx, q)
		if err != nil {
			return nil, err
		}
		if older.Lines == 0 {
			n = daysBetween(days[0].Key, before.To) + 1
		}
	}
	return b.goOn(days, n, now), nil
}

// goOn adds the mean of n days for the time that is left of the month.
func (b *bill) goOn(days []agent.SpendRow, n int, now time.Time) *forecast {
	var sum int64
	for _, day := range days {
		sum += b.m.Value(day)
	}
	_, end := agent.SpanMonth.Window(now, b.r.Zone)
	left := end.Sub(now).Hours() / 24
	return &forecast{
		amount: b.m.Value(b.total) + int64(float64(sum)/float64(n)*left),
		by:     end.In(b.r.Zone).AddDate(0, 0, -1), days: n,
	}
}

// daysBetween counts the days from a first one, as the ledger names it, to a last one.
func daysBetween(first string, last time.Time) int {
	day, err := time.Parse(request.DayFormat, first)
	if err != nil {
		return 0
	}
	y, m, d := last.Date()
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(day).Hours() / 24)
}
