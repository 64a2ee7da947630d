package money

import (
	"net/url"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/web/page/chart"
	"fusebox/web/request"
)

// TestForecastGoesOnWithTheMean: what was spent so far, and the mean of the full
// days for each day that is left of the month, the rest of this one included.
func TestForecastGoesOnWithTheMean(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 20, 12, 0, 0, 0, zone) // 11½ days and the hour of the change are left
	b := &bill{r: request.MonthToDate(now, zone), m: chart.Cost, total: agent.SpendRow{CostMicros: 1000}}
	week := []agent.SpendRow{{Key: "2026-10-13", CostMicros: 2400}, {Key: "2026-10-19", CostMicros: 4320}}
	f := b.goOn(week, 7, now)
	if want := int64(1000 + 960*11 + 480 + 40); f.amount != want || f.by.Format(request.DayFormat) != "2026-10-31" {
		t.Errorf("forecast %d by %s, want %d by the 31st", f.amount, f.by.Format(request.DayFormat), want)
	}
	if f = b.goOn(week[1:], 1, now); f.amount != 1000+4320*11+2160+180 || f.days != 1 {
		t.Errorf("after one full day %d of %d days", f.amount, f.days)
	}
	if n := daysBetween("2026-10-24", time.Date(2026, 10, 26, 0, 0, 0, 0, zone)); n != 2 {
		t.Errorf("%d days over the change of clocks, want 2", n)
	}
}

// TestSameDaysBefore: the month so far is compared with as many days of the last one.
func TestSameDaysBefore(t *testing.T) {
	t.Parallel()
	for _, row := range [][4]string{
		{"2026-11-01", "2026-11-22", "2026-10-01", "2026-10-22"},
		{"2026-03-01", "2026-03-31", "2026-02-01", "2026-02-28"},
		{"2026-01-01", "2026-01-01", "2025-12-01", "2025-12-01"},
	} {
		r, err := request.ParseSpendRange(url.Values{"from": {row[0]}, "to": {row[1]}}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		before := sameDaysBefore(r)
		if from, to := before.From.Format(request.DayFormat), before.To.Format(request.DayFormat); from != row[2] || to != row[3] {
			t.Errorf("before %s to %s: %s to %s", row[0], row[1], from, to)
		}
	}
}
