package web

import (
	"net/url"
	"time"

	"fusebox/agent"
)

const (
	dayFormat = "2006-01-02"
	// maxSpendDays bounds what one page or file sums up.
	maxSpendDays = 3660
	// maxChartDays is how many columns of single days a chart has room for;
	// longer ranges are drawn by month.
	maxChartDays = 366
)

// spendRange is a range of days in a zone, both ends included.
type spendRange struct {
	From, To time.Time // midnights in Zone
	Zone     *time.Location
}

// parseSpendRange reads from, to and tz; what is missing becomes the current
// month to date, in UTC. On bad input it returns the default with the error.
func parseSpendRange(q url.Values, now time.Time) (spendRange, error) {
	zone, err := time.LoadLocation(q.Get("tz"))
	if err != nil || q.Get("tz") == "Local" {
		return monthToDate(now, time.UTC), agent.InvalidField("tz", "use a time zone's name, for example UTC or Europe/Berlin")
	}
	r := monthToDate(now, zone)
	def := r
	if r.To, err = parseDay(q, "to", zone, r.To); err != nil {
		return def, err
	}
	if r.From.After(r.To) {
		r.From = time.Date(r.To.Year(), r.To.Month(), 1, 0, 0, 0, 0, zone)
	}
	if r.From, err = parseDay(q, "from", zone, r.From); err != nil {
		return def, err
	}
	if r.From.After(r.To) {
		return def, agent.InvalidField("from", "must not be after the last day, %s", r.To.Format(dayFormat))
	}
	if r.From.AddDate(0, 0, maxSpendDays).Before(r.To) {
		return def, agent.InvalidField("from", "at most ten years at once")
	}
	return r, nil
}

func parseDay(q url.Values, field string, zone *time.Location, def time.Time) (time.Time, error) {
	if q.Get(field) == "" {
		return def, nil
	}
	day, err := time.ParseInLocation(dayFormat, q.Get(field), zone)
	if err != nil {
		return def, agent.InvalidField(field, "use a day like 2026-01-31")
	}
	return day, nil
}

func monthToDate(now time.Time, zone *time.Location) spendRange {
	y, m, d := now.In(zone).Date()
	return spendRange{
		From: time.Date(y, m, 1, 0, 0, 0, 0, zone),
		To:   time.Date(y, m, d, 0, 0, 0, 0, zone), Zone: zone,
	}
}

// lastDays is the range of n days that ends today.
func lastDays(n int, now time.Time, zone *time.Location) spendRange {
	r := monthToDate(now, zone)
	r.From = r.To.AddDate(0, 0, 1-n)
	return r
}

// query asks the ledger for the range.
func (r spendRange) query(group agent.SpendGroup) agent.SpendQuery {
	return agent.SpendQuery{From: r.From, To: r.To.AddDate(0, 0, 1), Group: group, Zone: r.Zone}
}

// values is the range as a query string's fields.
func (r spendRange) values() url.Values {
	return url.Values{
		"from": {r.From.Format(dayFormat)}, "to": {r.To.Format(dayFormat)}, "tz": {r.Zone.String()},
	}
}

// spans are the columns of a chart over the range, and which of them a day
// belongs to: days, or months where there would be too many days.
func (r spendRange) spans() (spans []chartSpan, spanOf func(day string) string) {
	if !r.From.AddDate(0, 0, maxChartDays).After(r.To) {
		return r.months(), func(day string) string { return day[:min(len(day), len("2006-01"))] }
	}
	for day := r.From; !day.After(r.To); day = day.AddDate(0, 0, 1) {
		spans = append(spans, chartSpan{Key: day.Format(dayFormat), Label: day.Format("2 Jan")})
	}
	return spans, func(day string) string { return day }
}

func (r spendRange) months() []chartSpan {
	var spans []chartSpan
	first := time.Date(r.From.Year(), r.From.Month(), 1, 0, 0, 0, 0, r.Zone)
	for month := first; !month.After(r.To); month = month.AddDate(0, 1, 0) {
		spans = append(spans, chartSpan{Key: month.Format("2006-01"), Label: month.Format("Jan 2006")})
	}
	return spans
}
