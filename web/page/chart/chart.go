// Package chart draws what was spent as bars: by day, week, or month, and by model.
package chart

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
)

// maxSeries bounds the colours of a chart; what is left is summed as "other".
const maxSeries = 7

// widestBar bounds the bars of a few days, in units of the picture.
const widestBar = 90

// Measure is what a chart counts: tokens or money.
type Measure struct {
	Name  string // as addresses of pages say it
	Value func(agent.SpendRow) int64
	Show  func(*text.Printer, int64) string
	// Ticks labels the axis up to top, the highest first, each label another one.
	Ticks func(tr *text.Printer, top int64) []string
}

// The measures: micro-dollars, and tokens read and written.
var (
	Cost   = Measure{"cost", func(r agent.SpendRow) int64 { return r.CostMicros }, func(_ *text.Printer, micros int64) string { return present.Money(micros) }, moneyTicks}
	Tokens = Measure{"tokens", func(r agent.SpendRow) int64 { return r.InputTokens + r.OutputTokens }, (*text.Printer).Amount, tokenTicks}
)

// Table holds the numbers behind a chart: one value per span and series.
type Table struct {
	words  *text.Printer
	spans  []request.ChartSpan
	series []string
	values [][]int64 // by span, then by series
}

// New takes rows (Key: the first day of a span, Label: the model) to
// their spans. Rows outside of all spans are left out.
func New(tr *text.Printer, rows []agent.SpendRow, spans []request.ChartSpan, m Measure) Table {
	t := Table{words: tr, spans: spans, series: topSeries(tr, rows, m)}
	t.values = make([][]int64, len(spans))
	at := make(map[string]int, len(spans))
	for i, s := range spans {
		t.values[i] = make([]int64, len(t.series))
		at[s.Key] = i
	}
	for _, r := range rows {
		if i, ok := at[r.Key]; ok {
			t.values[i][t.seriesOf(r.Label)] += m.Value(r)
		}
	}
	return t
}

// topSeries are the labels with the highest totals, highest first, and "other"
// where there are more than maxSeries.
func topSeries(tr *text.Printer, rows []agent.SpendRow, m Measure) []string {
	totals := map[string]int64{}
	for _, r := range rows {
		totals[r.Label] += m.Value(r)
	}
	names := slices.SortedFunc(maps.Keys(totals), func(a, b string) int {
		return cmp.Or(cmp.Compare(totals[b], totals[a]), cmp.Compare(a, b))
	})
	if len(names) > maxSeries {
		names = append(names[:maxSeries-1], tr.T("page.spend.other_models"))
	}
	return names
}

func (t Table) seriesOf(label string) int {
	if i := slices.Index(t.series, label); i >= 0 {
		return i
	}
	return len(t.series) - 1
}

func (t Table) spanTotal(i int) int64 {
	var sum int64
	for _, v := range t.values[i] {
		sum += v
	}
	return sum
}

func (t Table) seriesTotal(j int) int64 {
	var sum int64
	for i := range t.values {
		sum += t.values[i][j]
	}
	return sum
}

func (t Table) total() int64 {
	var sum int64
	for i := range t.values {
		sum += t.spanTotal(i)
	}
	return sum
}

// Highest is the highest bar: the most of one day, week, or month.
func (t Table) Highest() int64 {
	var top int64
	for i := range t.values {
		top = max(top, t.spanTotal(i))
	}
	return top
}

// LayOut turns the numbers into a picture. An all-empty table gives a chart
// without series, which the page replaces by a sentence.
func (t Table) LayOut(title string, m Measure) page.Chart {
	c := page.Chart{Title: title, Marks: axisMarks(t.words, t.spans)}
	if t.total() == 0 {
		c.Desc = t.words.T("page.spend.nothing")
		return c
	}
	top := NiceCeiling(t.Highest())
	c.Ticks = m.Ticks(t.words, top)
	c.Series = t.layOutSeries(top, m)
	c.Columns = t.layOutColumns(m)
	c.Desc = t.describe(m)
	return c
}

func (t Table) layOutSeries(top int64, m Measure) []page.ChartSeries {
	paths := make([]strings.Builder, len(t.series))
	width := page.ChartWidth / float64(len(t.spans))
	bar := min(width*0.82, widestBar)
	for i, values := range t.values {
		x, base := (float64(i)+0.5)*width-bar/2, float64(page.ChartHeight)
		for j, v := range values {
			if v == 0 {
				continue
			}
			height := BarHeight(v, top)
			base -= height
			fmt.Fprintf(&paths[j], "M%s %sh%sv%sh-%sz", present.Unit(x), present.Unit(base), present.Unit(bar), present.Unit(height), present.Unit(bar))
		}
	}
	out := make([]page.ChartSeries, len(t.series))
	for j, name := range t.series {
		out[j] = page.ChartSeries{
			Name: name, Class: "series-" + strconv.Itoa(j+1),
			Total: m.Show(t.words, t.seriesTotal(j)), Path: paths[j].String(),
		}
	}
	return out
}

func (t Table) layOutColumns(m Measure) []page.ChartColumn {
	width := page.ChartWidth / float64(len(t.spans))
	out := make([]page.ChartColumn, len(t.spans))
	for i, span := range t.spans {
		col := page.ChartColumn{
			X: present.Unit(float64(i) * width), Width: present.Unit(width),
			Label: t.label(span), Total: m.Show(t.words, t.spanTotal(i)), Empty: t.spanTotal(i) == 0,
		}
		hint := []string{col.Label + ": " + col.Total}
		for j, v := range t.values[i] {
			col.Cells = append(col.Cells, m.Show(t.words, v))
			if v != 0 {
				hint = append(hint, t.series[j]+" "+m.Show(t.words, v))
			}
		}
		col.Hint = strings.Join(hint, "\n")
		out[i] = col
	}
	return out
}

// label is what a span is called in full.
func (t Table) label(s request.ChartSpan) string {
	if s.Span != agent.SpanWeek {
		return spanMark(t.words, s)
	}
	return t.words.T("page.spend.span", spanMark(t.words, s), s.Last.Format(t.words.T("date.short")))
}

// spanMark is what a span is called at the axis.
func spanMark(tr *text.Printer, s request.ChartSpan) string {
	if s.Span == agent.SpanMonth {
		return s.First.Format(tr.T("date.short_month"))
	}
	return s.First.Format(tr.T("date.short_day"))
}

// spanStart is what a span begins with, for sentences.
func spanStart(tr *text.Printer, s request.ChartSpan) string {
	if s.Span == agent.SpanWeek {
		return s.First.Format(tr.T("date.short"))
	}
	return spanMark(tr, s)
}

// describe says in words what the picture shows.
func (t Table) describe(m Measure) string {
	top := 0
	for i := range t.spans {
		if t.spanTotal(i) > t.spanTotal(top) {
			top = i
		}
	}
	return t.words.T("page.spend.chart",
		m.Show(t.words, t.total()), spanStart(t.words, t.spans[0]), spanStart(t.words, t.spans[len(t.spans)-1]),
		t.label(t.spans[top]), m.Show(t.words, t.spanTotal(top)), t.series[0], m.Show(t.words, t.seriesTotal(0)))
}

// BarHeight is the height of a value in the picture, where top is as high as the chart.
func BarHeight(v, top int64) float64 {
	return float64(v) / float64(top) * page.ChartHeight
}

// ceilings are the tops of an axis, times a power of ten: their quarters are round numbers,
// and from 8 on, a bar just above one of them still reaches two thirds of the next.
var ceilings = []int64{4, 8, 12, 16, 20, 24, 32, 40, 60}

// NiceCeiling returns the lowest top of an axis that is at least v.
func NiceCeiling(v int64) int64 {
	for power := int64(1); power < math.MaxInt64/100; power *= 10 {
		for _, f := range ceilings {
			if f*power >= v {
				return f * power
			}
		}
	}
	return v
}

// mostMarks bounds the labels of the time axis.
const mostMarks = 5

// axisMarks label the first column and every so many after it.
func axisMarks(tr *text.Printer, spans []request.ChartSpan) []page.ChartMark {
	step := (len(spans) + mostMarks - 1) / mostMarks
	var marks []page.ChartMark
	for i := 0; i < len(spans); i += step {
		marks = append(marks, page.ChartMark{At: present.Unit((float64(i)+0.5)*100/float64(len(spans))) + "%", Label: spanMark(tr, spans[i])})
	}
	return marks
}

// Begun leaves out what is before the first spending, so that a new server does not begin
// with an empty chart.
func (t Table) Begun() Table {
	from := slices.IndexFunc(t.values, func(span []int64) bool {
		return slices.ContainsFunc(span, func(v int64) bool { return v != 0 })
	})
	t.spans, t.values = t.spans[max(0, from):], t.values[max(0, from):]
	return t
}

// axisSteps is how many spaces lie between the lines of a chart.
const axisSteps = 4

// moneyTicks labels an axis of micro-dollars with as many digits as its steps need, so
// that no two lines say the same.
func moneyTicks(_ *text.Printer, top int64) []string {
	digits, unit := 2, int64(10_000)
	for unit > 1 && top/axisSteps%unit != 0 {
		digits, unit = digits+1, unit/10
	}
	return ticksOf(top, func(micros int64) string {
		return "$" + strconv.FormatFloat(float64(micros)/1e6, 'f', digits, 64)
	})
}

// tokenTicks labels an axis of tokens.
func tokenTicks(tr *text.Printer, top int64) []string { return ticksOf(top, tr.Amount) }

func ticksOf(top int64, show func(int64) string) []string {
	ticks := make([]string, 0, axisSteps+1)
	for i := range int64(axisSteps + 1) {
		ticks = append(ticks, show(top*(axisSteps-i)/axisSteps))
	}
	return ticks
}
