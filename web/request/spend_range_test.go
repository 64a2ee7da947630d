package request

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"fusebox/agent"
)

func TestParseSpendRange(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 2, 30, 0, 0, time.UTC)
	for _, tt := range []struct{ query, from, to, field string }{
		{"", "2026-11-01", "2026-11-01", ""},
		{"tz=America/New_York", "2026-10-01", "2026-10-31", ""},
		{"from=2026-01-05&to=2026-02-03", "2026-01-05", "2026-02-03", ""},
		{"to=2026-02-03", "2026-02-01", "2026-02-03", ""},
		{"from=2026-13-05", "2026-11-01", "2026-11-01", "from"},
		{"to=yesterday", "2026-11-01", "2026-11-01", "to"},
		{"from=2026-03-01&to=2026-02-01", "2026-11-01", "2026-11-01", "from"},
		{"from=1900-03-01&to=2026-02-01", "2026-11-01", "2026-11-01", "from"},
		{"tz=../../etc/passwd", "2026-11-01", "2026-11-01", "tz"},
		{"tz=Local", "2026-11-01", "2026-11-01", "tz"},
	} {
		q, err := url.ParseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ParseSpendRange(q, now)
		if got := r.From.Format(DayFormat); got != tt.from {
			t.Errorf("%q: from %s, want %s", tt.query, got, tt.from)
		}
		if got := r.To.Format(DayFormat); got != tt.to {
			t.Errorf("%q: to %s, want %s", tt.query, got, tt.to)
		}
		var field string
		var e *agent.Error
		if errors.As(err, &e) {
			field = e.Fields[0].Field
		}
		if field != tt.field {
			t.Errorf("%q: error at %q, want %q", tt.query, field, tt.field)
		}
	}
}

func TestSpendRangeAsksForWholeDaysAcrossClockChanges(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 3, 29, 0, 0, 0, 0, zone) // has 23 hours
	q := SpendRange{From: day, To: day, Zone: zone}.Query(agent.SpendByDay)
	if got := q.To.Sub(q.From); got != 23*time.Hour {
		t.Errorf("the day of the change has %s", got)
	}
}
