package page

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/web/request"
)

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
