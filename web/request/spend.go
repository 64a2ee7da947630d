package request

import (
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

const (
	// DayFormat is how days stand in addresses and fields.
	DayFormat = "2006-01-02"
	// MaxSpendDays bounds what one page or file sums up.
	MaxSpendDays = 3660
	// A chart has room for so many columns of single days, and for so many days
	// by weeks; longer ranges are drawn by month.
	maxChartDays  = 100
	maxChartWeeks = 750
)

// SpendRange is a range of days in a zone, both ends included.
type SpendRange struct {
	From, To time.Time // the first instants of days in Zone
	Zone     *time.Location
}

// ParseSpendRange reads from, to and tz; what is missing becomes the current
// month to date, in UTC. On bad input it returns the default with the error.
func ParseSpendRange(q url.Values, now time.Time) (SpendRange, error) {
	zone, err := time.LoadLocation(q.Get("tz"))
	if err != nil || q.Get("tz") == "Local" {
		return MonthToDate(now, time.UTC), agent.InvalidField("tz", "use a time zone's name, for example UTC or Europe/Berlin")
	}
	r := MonthToDate(now, zone)
	def := r
	if r.To, err = ParseDay(q, "to", zone, r.To); err != nil {
		return def, err
	}
	if r.From.After(r.To) {
		r.From = agent.StartOfDay(r.To.Year(), r.To.Month(), 1, zone)
	}
	if r.From, err = ParseDay(q, "from", zone, r.From); err != nil {
		return def, err
	}
	if r.From.After(r.To) {
		return def, agent.InvalidField("from", "must not be after the last day, %s", r.To.Format(DayFormat))
	}
	if r.From.AddDate(0, 0, MaxSpendDays).Before(r.To) {
		return def, agent.InvalidField("from", "at most ten years at once")
	}
	return r, nil
}

// ParseDay reads a day of the query in a zone; an empty field is the default.
func ParseDay(q url.Values, field string, zone *time.Location, def time.Time) (time.Time, error) {
	if q.Get(field) == "" {
		return def, nil
	}
	day, err := time.Parse(DayFormat, q.Get(field))
	if err != nil {
		return def, agent.InvalidField(field, "use a day like 2026-01-31")
	}
	return StartOfDay(day, zone, 0), nil
}

// StartOfDay is the first instant in zone of the day that t shows, or of one some days later.
func StartOfDay(t time.Time, zone *time.Location, later int) time.Time {
	y, m, d := t.Date()
	return agent.StartOfDay(y, m, d+later, zone)
}

// MonthToDate is the current month up to today.
func MonthToDate(now time.Time, zone *time.Location) SpendRange {
	y, m, d := now.In(zone).Date()
	return SpendRange{
		From: agent.StartOfDay(y, m, 1, zone),
		To:   agent.StartOfDay(y, m, d, zone), Zone: zone,
	}
}

// LastDays is the range of n days that ends today.
func LastDays(n int, now time.Time, zone *time.Location) SpendRange {
	r := MonthToDate(now, zone)
	r.From = StartOfDay(r.To, zone, 1-n)
	return r
}

// LastMonth is the month before this one.
func LastMonth(now time.Time, zone *time.Location) SpendRange {
	y, m, _ := now.In(zone).Date()
	return SpendRange{From: agent.StartOfDay(y, m-1, 1, zone), To: agent.StartOfDay(y, m, 0, zone), Zone: zone}
}

// LastYear is the twelve months that end today.
func LastYear(now time.Time, zone *time.Location) SpendRange {
	y, m, d := now.In(zone).Date()
	return SpendRange{From: agent.StartOfDay(y-1, m, d+1, zone), To: agent.StartOfDay(y, m, d, zone), Zone: zone}
}

// Same reports whether both are the same days of the same zone.
func (r SpendRange) Same(o SpendRange) bool { return r.From.Equal(o.From) && r.To.Equal(o.To) }

// Query asks the ledger for the range.
func (r SpendRange) Query(group agent.SpendGroup) agent.SpendQuery {
	return agent.SpendQuery{From: r.From, To: StartOfDay(r.To, r.Zone, 1), Group: group, Zone: r.Zone}
}

// SpendQuery reads a query of the ledger; someone who is not an admin
// sees only their own lines, an admin where they ask for them.
func SpendQuery(clock agent.Clock, shown *Visibility, c echo.Context) (agent.SpendQuery, error) {
	r, err := ParseSpendRange(c.QueryParams(), clock.Now())
	if err != nil {
		return agent.SpendQuery{}, err
	}
	group := agent.SpendGroup(c.QueryParam("group"))
	if err := OneOf("group", group, agent.SpendGroups...); err != nil {
		return agent.SpendQuery{}, err
	}
	if group == "" {
		group = agent.SpendByDay
	}
	q := r.Query(group)
	q.ByTokens = shown.TokensOnly(Viewer(c)) // nor does the order tell
	if v := Viewer(c); v.Role != agent.RoleAdmin || c.QueryParam("mine") == "true" {
		q.UserID = v.UserID
	}
	return q, nil
}

// Values is the range as a query string's fields.
func (r SpendRange) Values() url.Values {
	return url.Values{
		"from": {r.From.Format(DayFormat)}, "to": {r.To.Format(DayFormat)}, "tz": {r.Zone.String()},
	}
}

// Span is how wide the columns of a chart over the range are.
func (r SpendRange) Span() agent.BudgetSpan {
	switch days := int(r.To.Sub(r.From).Hours()/24) + 1; {
	case days <= maxChartDays:
		return agent.SpanDay
	case days <= maxChartWeeks:
		return agent.SpanWeek
	default:
		return agent.SpanMonth
	}
}

// Spans are the columns of a chart over the range. Their keys are the first days
// of the spans, as the ledger names them; the first span may begin before the range.
func (r SpendRange) Spans() []ChartSpan {
	var spans []ChartSpan
	span := r.Span()
	start, end := span.Window(r.From, r.Zone)
	for !start.After(r.To) {
		first, last := start.In(r.Zone), end.In(r.Zone).AddDate(0, 0, -1)
		c := ChartSpan{Key: first.Format(DayFormat), Span: span, First: first, Last: last}
		if span != agent.SpanMonth && first.Before(r.From) { // months are whole
			c.First = r.From
		}
		if last.After(r.To) {
			c.Last = r.To
		}
		spans = append(spans, c)
		start, end = span.Window(end, r.Zone)
	}
	return spans
}

// ChartSpan is one column of a chart, named in the ledger by its first day. First and
// Last are its days within the range.
type ChartSpan struct {
	Key         string
	Span        agent.BudgetSpan
	First, Last time.Time
}
