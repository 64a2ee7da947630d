package present

import (
	"strconv"
	"time"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

const (
	// maxTraceRows bounds the trace of one page; a run has at most some dozens of steps.
	maxTraceRows = 400
	// foldedShare is how much of the axis one long wait gets.
	foldedShare = 0.12
	// smallestBar keeps a bar of no time visible.
	smallestBar = 6
)

// timeAxis maps instants to units. Waits for people may last for days while
// the run itself took seconds, so a long one is folded to a fixed share.
type timeAxis struct {
	pieces []axisPiece
	length float64 // of all pieces
}

type axisPiece struct {
	from, to time.Time
	at, size float64
}

// newTimeAxis covers start to end; waits are sorted and do not overlap.
func newTimeAxis(start, end time.Time, waits []runSpan) (axis timeAxis, folded bool) {
	active := end.Sub(start)
	for _, w := range waits {
		active -= w.end.Sub(w.start)
	}
	active = max(active, time.Millisecond)
	limit := time.Duration(float64(active) * foldedShare / (1 - foldedShare))
	at := start
	for _, w := range waits {
		axis.add(at, w.start, w.start.Sub(at))
		size := w.end.Sub(w.start)
		if size > limit {
			size, folded = limit, true
		}
		axis.add(w.start, w.end, size)
		at = w.end
	}
	axis.add(at, end, end.Sub(at))
	return axis, folded
}

func (a *timeAxis) add(from, to time.Time, size time.Duration) {
	if size <= 0 {
		return
	}
	a.pieces = append(a.pieces, axisPiece{from: from, to: to, at: a.length, size: float64(size)})
	a.length += float64(size)
}

// x is the position of an instant, from 0 to page.TraceWidth.
func (a timeAxis) x(t time.Time) float64 {
	for _, p := range a.pieces {
		if t.Before(p.from) {
			return p.at / a.length * page.TraceWidth
		}
		if !t.After(p.to) {
			share := float64(t.Sub(p.from)) / float64(p.to.Sub(p.from))
			return (p.at + share*p.size) / a.length * page.TraceWidth
		}
	}
	if a.length == 0 {
		return 0
	}
	return page.TraceWidth
}

// when is the instant that stands at a share of the axis.
func (a timeAxis) when(share float64) time.Time {
	at := share * a.length
	for i, p := range a.pieces {
		if at <= p.at+p.size || i == len(a.pieces)-1 {
			return p.from.Add(time.Duration((at - p.at) / p.size * float64(p.to.Sub(p.from))))
		}
	}
	return time.Time{}
}

// NewTrace lays the spans of a run out on one axis.
func NewTrace(tr *text.Printer, spans []runSpan) page.Trace {
	if len(spans) == 0 {
		return page.Trace{}
	}
	start, end := spans[0].start, spans[0].end
	var waits []runSpan
	for _, s := range spans {
		if s.end.After(end) {
			end = s.end
		}
		if s.kind == "wait" {
			waits = append(waits, s)
		}
	}
	axis, folded := newTimeAxis(start, end, waits)
	t := page.Trace{Folded: folded}
	for i := range 5 {
		t.Axis = append(t.Axis, Seconds(axis.when(float64(i)/4).Sub(start)))
	}
	for i, s := range spans {
		if i == maxTraceRows {
			t.More = len(spans) - i
			break
		}
		t.Rows = append(t.Rows, s.row(tr, axis, start))
	}
	return t
}

func (s runSpan) row(tr *text.Printer, axis timeAxis, start time.Time) page.TraceRow {
	from, to := axis.x(s.start), axis.x(s.end)
	if to-from < smallestBar {
		from = min(from, page.TraceWidth-smallestBar)
		to = from + smallestBar
	}
	row := page.TraceRow{
		Kind: s.kind, Label: s.label, Note: agent.Clip(s.note, 160), State: s.state, Bad: s.bad,
		X: Unit(from), W: Unit(to - from), Start: Seconds(s.start.Sub(start)), Href: s.href,
	}
	if s.step > 0 {
		row.Step = strconv.Itoa(s.step)
		row.StepHref = "#step-" + row.Step
	}
	if s.end.After(s.start) {
		row.Took = Seconds(s.end.Sub(s.start))
	}
	if s.usage != nil {
		row.Tokens, row.Hint, row.Cost = tr.Amount(s.usage.Total()), UsageHint(tr, *s.usage), CostText(tr, s.cost, s.unpriced)
	}
	return row
}

// UsageHint is the whole count behind a short number.
func UsageHint(tr *text.Printer, u agent.Usage) string {
	if u.Estimated {
		return tr.T("present.usage.hint_estimated", tr.Amount(u.InputTokens), tr.Amount(u.CachedTokens), tr.Amount(u.OutputTokens))
	}
	return tr.T("present.usage.hint", tr.Amount(u.InputTokens), tr.Amount(u.CachedTokens), tr.Amount(u.OutputTokens))
}
