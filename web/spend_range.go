package web

import (
	"cmp"
	"net/url"
	"time"

	"fusebox/agent"
)

const (
	dayFormat = "2006-01-02"
	// maxSpendDays bounds what one page or file sums up.
	maxSpendDays = 3660
	// A chart has room for so many columns of single days, and for so many days
	// by weeks; longer ranges are drawn by month.
	maxChartDays  = 100
	maxChartWeeks = 750
)

// spendRange is a range of days in a zone, both ends included.
type spendRange struct {
	From, To time.Time // the first instants of days in Zone
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
		r.From = agent.StartOfDay(r.To.Year(), r.To.Month(), 1, zone)
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
	day, err := time.Parse(dayFormat, q.Get(field))
	if err != nil {
		return def, agent.InvalidField(field, "use a day like 2026-01-31")
	}
	return startOfDay(day, zone, 0), nil
}

// startOfDay is the first instant in zone of the day that t shows, or of one some days later.
func startOfDay(t time.Time, zone *time.Location, later int) time.Time {
	y, m, d := t.Date()
	return agent.StartOfDay(y, m, d+later, zone)
}

func monthToDate(now time.Time, zone *time.Location) spendRange {
	y, m, d := now.In(zone).Date()
	return spendRange{
		From: agent.StartOfDay(y, m, 1, zone),
		To:   agent.StartOfDay(y, m, d, zone), Zone: zone,
	}
}

// lastDays is the range of n days that ends today.
func lastDays(n int, now time.Time, zone *time.Location) spendRange {
	r := monthToDate(now, zone)
	r.From = startOfDay(r.To, zone, 1-n)
	return r
}

// lastMonth is the month before this one.
func lastMonth(now time.Time, zone *time.Location) spendRange {
	y, m, _ := now.In(zone).Date()
	return spendRange{From: agent.StartOfDay(y, m-1, 1, zone), To: agent.StartOfDay(y, m, 0, zone), Zone: zone}
}

// lastYear is the twelve months that end today.
func lastYear(now time.Time, zone *time.Location) spendRange {
	y, m, d := now.In(zone).Date()
	return spendRange{From: agent.StartOfDay(y-1, m, d+1, zone), To: agent.StartOfDay(y, m, d, zone), Zone: zone}
}

// same reports whether both are the same days of the same zone.
func (r spendRange) same(o spendRange) bool { return r.From.Equal(o.From) && r.To.Equal(o.To) }

// query asks the ledger for the range.
func (r spendRange) query(group agent.SpendGroup) agent.SpendQuery {
	return agent.SpendQuery{From: r.From, To: startOfDay(r.To, r.Zone, 1), Group: group, Zone: r.Zone}
}

// values is the range as a query string's fields.
func (r spendRange) values() url.Values {
	return url.Values{
		"from": {r.From.Format(dayFormat)}, "to": {r.To.Format(dayFormat)}, "tz": {r.Zone.String()},
	}
}

// span is how wide the columns of a chart over the range are.
func (r spendRange) span() agent.BudgetSpan {
	switch days := int(r.To.Sub(r.From).Hours()/24) + 1; {
	case days <= maxChartDays:
		return agent.SpanDay
	case days <= maxChartWeeks:
		return agent.SpanWeek
	default:
		return agent.SpanMonth
	}
}

// spans are the columns of a chart over the range. Their keys are the first days
// of the spans, as the ledger names them; the first span may begin before the range.
func (r spendRange) spans() []chartSpan {
	var spans []chartSpan
	span := r.span()
	start, end := span.Window(r.From, r.Zone)
	for !start.After(r.To) {
		spans = append(spans, r.column(span, start, end))
		start, end = span.Window(end, r.Zone)
	}
	return spans
}

// column names a span; what lies outside of the range is not named.
func (r spendRange) column(span agent.BudgetSpan, start, end time.Time) chartSpan {
	c := chartSpan{Key: start.In(r.Zone).Format(dayFormat)}
	if span == agent.SpanMonth {
		c.Label = start.In(r.Zone).Format("Jan 2006")
		return c
	}
	first, last := start.In(r.Zone), end.In(r.Zone).AddDate(0, 0, -1)
	if first.Before(r.From) {
		first = r.From
	}
	if last.After(r.To) {
		last = r.To
	}
	c.Label = first.Format("2 Jan")
	if span == agent.SpanWeek {
		c.Start = first.Format("2 Jan 2006")
		c.Long = first.Format("2 Jan") + " to " + last.Format("2 Jan 2006")
	}
	return c
}

// chartSpan is one column of a chart: its first day, and the label of it.
// Long is what it says in full, and Start where it begins, "" where that is the label.
type chartSpan struct{ Key, Label, Long, Start string }

func (s chartSpan) long() string { return cmp.Or(s.Long, s.Label) }

func (s chartSpan) start() string { return cmp.Or(s.Start, s.Label) }
