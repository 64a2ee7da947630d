package chart

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

func rangeOf(t *testing.T, from, to string) request.SpendRange {
	t.Helper()
	r := request.SpendRange{Zone: time.UTC}
	var err error
	if r.From, err = time.Parse(request.DayFormat, from); err != nil {
		t.Fatal(err)
	}
	if r.To, err = time.Parse(request.DayFormat, to); err != nil {
		t.Fatal(err)
	}
	return r
}

// spendRows makes rows for n days from first on, models in turn.
func spendRows(first time.Time, n, models int) []agent.SpendRow {
	var rows []agent.SpendRow
	for d := range n {
		for m := range models {
			rows = append(rows, agent.SpendRow{
				Key: first.AddDate(0, 0, d).Format(request.DayFormat), Label: fmt.Sprintf("model-%02d", m),
				Runs: 1, Tokens: agent.Tokens{InputTokens: int64(100*(m+1) + d), OutputTokens: 7}, CostMicros: int64(1000*(m+1) + d),
			})
		}
	}
	return rows
}

// bySpan names rows of days after the columns that they belong to, as the store does.
func bySpan(rows []agent.SpendRow, r request.SpendRange) []agent.SpendRow {
	for i, row := range rows {
		day, err := time.Parse(request.DayFormat, row.Key)
		if err != nil {
			panic(err)
		}
		start, _ := r.Span().Window(day, r.Zone)
		rows[i].Key = start.Format(request.DayFormat)
	}
	return rows
}

func sum(rows []agent.SpendRow, m Measure) (total int64) {
	for _, r := range rows {
		total += m.Value(r)
	}
	return total
}

var barHeights = regexp.MustCompile(`v([0-9.]+)h-`)

// drawn adds up the heights of all bars of a chart.
func drawn(t *testing.T, c page.Chart) (total float64) {
	t.Helper()
	for _, s := range c.Series {
		for _, m := range barHeights.FindAllStringSubmatch(s.Path, -1) {
			h, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			total += h
		}
	}
	return total
}

func TestSpendChartAddsUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		from, to     string
		models       int
		wantColumns  int
		wantSeries   int
		wantLastName string
	}{
		{"one day", "2026-03-01", "2026-03-01", 2, 1, 2, "model-00"},
		{"a month", "2026-03-01", "2026-03-31", 3, 31, 3, "model-00"},
		{"a year becomes weeks", "2024-01-01", "2024-12-31", 2, 53, 2, "model-00"},
		{"a year that begins within a week", "2025-11-22", "2026-11-21", 2, 53, 2, "model-00"},
		{"more than two years become months", "2024-01-01", "2026-02-10", 1, 26, 1, "model-00"},
		{"many models are summed as other", "2026-03-01", "2026-03-05", 12, 5, maxSeries, "other"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := rangeOf(t, tt.from, tt.to)
			days := int(r.To.Sub(r.From).Hours()/24) + 1
			rows := spendRows(r.From, days, tt.models)
			spans := r.Spans()
			for _, m := range []Measure{Cost, Tokens} {
				table := New(text.In(t.Context()), bySpan(rows, r), spans, m)
				if got, want := table.total(), sum(rows, m); got != want {
					t.Errorf("%s: table sums to %d, want %d", m.Name, got, want)
				}
				c := table.LayOut("t", m)
				if len(c.Columns) != tt.wantColumns || len(c.Series) != tt.wantSeries {
					t.Fatalf("%s: %d columns and %d series, want %d and %d", m.Name, len(c.Columns), len(c.Series), tt.wantColumns, tt.wantSeries)
				}
				if got := c.Series[len(c.Series)-1].Name; got != tt.wantLastName {
					t.Errorf("%s: last series is %q, want %q", m.Name, got, tt.wantLastName)
				}
				want := float64(sum(rows, m)) / float64(NiceCeiling(table.Highest())) * page.ChartHeight
				// Every bar is rounded to a hundredth of a unit.
				if got := drawn(t, c); got < want-0.005*float64(len(rows))-0.01 || got > want+0.005*float64(len(rows))+0.01 {
					t.Errorf("%s: bars add up to %.2f units, want %.2f", m.Name, got, want)
				}
			}
		})
	}
}

func TestSpendChartWithoutSpend(t *testing.T) {
	t.Parallel()
	spans := rangeOf(t, "2026-03-01", "2026-03-31").Spans()
	for name, rows := range map[string][]agent.SpendRow{
		"no rows":        nil,
		"rows of zero":   {{Key: "2026-03-02", Label: "demo"}},
		"rows elsewhere": {{Key: "2025-03-02", Label: "demo", CostMicros: 5}},
	} {
		c := New(text.In(t.Context()), rows, spans, Cost).LayOut("t", Cost)
		if len(c.Series) != 0 || c.Desc == "" {
			t.Errorf("%s: got %d series and description %q", name, len(c.Series), c.Desc)
		}
	}
}

func TestSpendChartSaysWhatItShows(t *testing.T) {
	t.Parallel()
	spans := rangeOf(t, "2026-03-01", "2026-03-03").Spans()
	c := New(text.In(t.Context()), []agent.SpendRow{
		{Key: "2026-03-01", Label: "small", CostMicros: 20_000},
		{Key: "2026-03-03", Label: "big", CostMicros: 300_000},
		{Key: "2026-03-03", Label: "small", CostMicros: 100_000},
	}, spans, Cost).LayOut("Cost", Cost)
	want := "$0.42 in total from 1 Mar to 3 Mar. Highest: 3 Mar with $0.40. Top model: big with $0.30."
	if diff := cmp.Diff(want, c.Desc); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"$0.40", "$0.30", "$0.20", "$0.10", "$0.00"}, c.Ticks); diff != "" {
		t.Error(diff)
	}
	if got := c.Columns[2].Hint; !strings.Contains(got, "big $0.30") || !strings.Contains(got, "small $0.10") {
		t.Errorf("hint of 3 Mar is %q", got)
	}
}

func TestNiceCeiling(t *testing.T) {
	t.Parallel()
	for v, want := range map[int64]int64{0: 4, 3: 4, 5: 8, 9: 12, 13: 16, 21: 24, 41_200: 60_000, 61_000: 80_000, 400_000: 400_000, 2_000_001: 2_400_000, 1<<62 + 1: 1<<62 + 1} {
		if got := NiceCeiling(v); got != want {
			t.Errorf("NiceCeiling(%d) = %d, want %d", v, got, want)
		}
	}
}

// TestTheChartBeginsWithTheFirstDay: days before anything was spent are left out, and the
// labels stand below every so many columns.
func TestTheChartBeginsWithTheFirstDay(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		from, first, to string
		want            []string
	}{
		{"2026-11-01", "2026-11-25", "2026-11-25", []string{"25 Nov 50%"}},
		{"2026-11-01", "2026-11-23", "2026-11-25", []string{"23 Nov 16.67%", "24 Nov 50%", "25 Nov 83.33%"}},
		{"2026-11-01", "2026-11-01", "2026-11-25", []string{"1 Nov 2%", "6 Nov 22%", "11 Nov 42%", "16 Nov 62%", "21 Nov 82%"}},
		{"2025-10-01", "2025-10-10", "2026-11-25", []string{"6 Oct 0.83%", "29 Dec 20.83%", "23 Mar 40.83%", "15 Jun 60.83%", "7 Sep 80.83%"}},
	} {
		r := rangeOf(t, row.from, row.to)
		rows := bySpan([]agent.SpendRow{{Key: row.first, Label: "demo", CostMicros: 5}, {Key: row.to, Label: "demo", CostMicros: 5}}, r)
		c := New(text.In(t.Context()), rows, r.Spans(), Cost).Begun().LayOut("", Cost)
		var got []string
		for _, m := range c.Marks {
			got = append(got, m.Label+" "+m.At)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("from %s, first spent on %s (-want +got):\n%s", row.from, row.first, diff)
		}
		if c.Columns[0].Empty {
			t.Errorf("from %s, first spent on %s: the chart begins with nothing", row.from, row.first)
		}
	}
}
