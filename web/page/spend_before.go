package page

import (
	"context"
	"time"

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
