package page

import (
	"testing"
	"time"

	"fusebox/agent"
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
	b := &bill{r: request.MonthToDate(now, zone), m: measureCost, total: agent.SpendRow{CostMicros: 1000}}
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
