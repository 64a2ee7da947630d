package present

import (
	"strconv"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

// LearningRow is what people decided on the pauses of one detector.
func LearningRow(tr *text.Printer, d agent.DetectorDecisions) page.LearningRow {
	row := page.LearningRow{
		Name: d.Detector, Title: DetectorName(tr, d.Detector), Decisions: strconv.Itoa(d.Decisions),
		FalseAlarms: strconv.Itoa(d.FalseAlarms), Loops: strconv.Itoa(d.Loops), Unclear: strconv.Itoa(d.Unclear), Ways: ways(tr, d.Ways),
	}
	switch {
	case d.TooFew && d.Unclear > 0:
		row.Few = tr.T("present.learning.few_clear", d.FalseAlarms+d.Loops)
	case d.TooFew:
		row.Few = tr.T("present.learning.few", d.Decisions)
	}
	return row
}

// ways say how often people chose what; what nobody chose is left out.
func ways(tr *text.Printer, w agent.DecisionWays) []string {
	all := []struct {
		n    int
		text string
	}{
		{w.NotLoop, tr.T("present.learning.not_loop", w.NotLoop)},
		{w.AllowMore, tr.T("present.learning.allow_more", w.AllowMore)},
		{w.AsPolling, tr.T("present.learning.as_polling", w.AsPolling)},
		{w.Continued, tr.T("present.learning.continued", w.Continued)},
		{w.Guided, tr.T("present.learning.guided", w.Guided)},
		{w.WrappedUp, tr.T("present.learning.wrapped_up", w.WrappedUp)},
		{w.TakenOver, tr.T("present.learning.taken_over", w.TakenOver)},
		{w.Ended, tr.T("present.learning.ended", w.Ended)},
	}
	var says []string
	for _, way := range all {
		if way.n > 0 {
			says = append(says, way.text)
		}
	}
	return says
}

// PauseRows put the runs that pause now beside those that would pause then.
func PauseRows(tr *text.Printer, now, then agent.PauseCounts) []page.PauseRow {
	row := func(label string, now, then int) page.PauseRow {
		return page.PauseRow{Label: label, Now: strconv.Itoa(now), Then: strconv.Itoa(then), Gone: strconv.Itoa(max(now-then, 0))}
	}
	return []page.PauseRow{
		row(tr.T("present.learning.pauses_false"), now.FalseAlarms, then.FalseAlarms),
		row(tr.T("present.learning.pauses_loop"), now.Loops, then.Loops),
		row(tr.T("present.learning.pauses_other"), now.Others, then.Others),
		row(tr.T("present.learning.pauses_all"), now.FalseAlarms+now.Loops+now.Others, then.FalseAlarms+then.Loops+then.Others),
	}
}
