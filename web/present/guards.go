package present

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

// RuleWords is what a rule says, in sentences; none for one that says nothing.
func RuleWords(tr *text.Printer, r agent.ToolRule) []string {
	var says []string
	if r.Polling {
		says = append(says, tr.T("present.rule.polling"))
	}
	if len(r.Identity) > 0 {
		says = append(says, tr.T("present.rule.identity", InWords(tr, r.Identity)))
	}
	if len(r.Volatile) > 0 {
		says = append(says, tr.T("present.rule.volatile", InWords(tr, r.Volatile)))
	}
	switch {
	case r.Warning > 0 && r.Critical > 0:
		says = append(says, tr.T("present.rule.both", r.Warning, r.Critical))
	case r.Warning > 0:
		says = append(says, tr.T("present.rule.warning", r.Warning))
	case r.Critical > 0:
		says = append(says, tr.T("present.rule.critical", r.Critical))
	}
	return says
}

// InWords lists names: a, b and c.
func InWords(tr *text.Printer, names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return tr.T("present.rule.list", strings.Join(names[:last], tr.T("common.comma")), names[last])
}

// SentenceCase begins a text with a capital.
func SentenceCase(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// VerdictRows are what the breakers said in a run, level in words.
func VerdictRows(tr *text.Printer, verdicts []agent.VerdictRecord) []page.VerdictRow {
	rows := make([]page.VerdictRow, len(verdicts))
	for i, v := range verdicts {
		rows[i] = page.VerdictRow{Step: strconv.Itoa(v.Step), Detector: DetectorName(tr, v.Detector), Message: tr.Recorded(v.Message)}
		rows[i].Level, rows[i].Tone = levelWords(tr, v)
	}
	return rows
}

func levelWords(tr *text.Printer, v agent.VerdictRecord) (words, tone string) {
	switch {
	case v.Level == agent.Warn.String() && v.Off:
		return tr.T("present.level.off.warn"), ""
	case v.Level == agent.Pause.String() && v.Off:
		return tr.T("present.level.off.pause"), ""
	case v.Level == agent.Stop.String() && v.Off:
		return tr.T("present.level.off.stop"), ""
	case v.Level == agent.Warn.String():
		return tr.T("present.level.warn"), "warm"
	case v.Level == agent.Pause.String():
		return tr.T("present.level.pause"), "tripped"
	case v.Level == agent.Stop.String():
		return tr.T("present.level.stop"), "tripped"
	default:
		return tr.T("present.level.spared"), ""
	}
}

// DetectorCatches says what a detector looks for, in a sentence. One that has no text
// keeps its own.
func DetectorCatches(tr *text.Printer, detector, own string) string {
	says, known := map[string]string{
		"generic_repeat":         tr.T("present.catches.generic_repeat"),
		"no_progress":            tr.T("present.catches.no_progress"),
		"ping_pong":              tr.T("present.catches.ping_pong"),
		"cycle":                  tr.T("present.catches.cycle"),
		"similar_repeat":         tr.T("present.catches.similar_repeat"),
		"nothing_new":            tr.T("present.catches.nothing_new"),
		"tree_repeat":            tr.T("present.catches.tree_repeat"),
		"idle_delegation":        tr.T("present.catches.idle_delegation"),
		"global_circuit_breaker": tr.T("present.catches.global_circuit_breaker"),
		"unknown_tool":           tr.T("present.catches.unknown_tool"),
		"post_compaction":        tr.T("present.catches.post_compaction"),
		"chanting":               tr.T("present.catches.chanting"),
		"repeated_answer":        tr.T("present.catches.repeated_answer"),
		"model_judge":            tr.T("present.catches.model_judge"),
		"consecutive_errors":     tr.T("present.catches.consecutive_errors"),
		"max_steps":              tr.T("present.catches.max_steps"),
		"max_duration":           tr.T("present.catches.max_duration"),
	}[detector]
	if !known {
		return own
	}
	return says
}

// NumberHelp says what a threshold is. One that has no text keeps its own.
func NumberHelp(tr *text.Printer, key, own string) string {
	says, known := map[string]string{
		"guard.window":                 tr.T("present.number.window"),
		"guard.warning":                tr.T("present.number.warning"),
		"guard.critical":               tr.T("present.number.critical"),
		"guard.breaker":                tr.T("present.number.breaker"),
		"guard.ceiling":                tr.T("present.number.ceiling"),
		"guard.cycle_warning":          tr.T("present.number.cycle_warning"),
		"guard.cycle_critical":         tr.T("present.number.cycle_critical"),
		"guard.similar_warning":        tr.T("present.number.similar_warning"),
		"guard.similar_critical":       tr.T("present.number.similar_critical"),
		"guard.nothing_new_warning":    tr.T("present.number.nothing_new_warning"),
		"guard.nothing_new_critical":   tr.T("present.number.nothing_new_critical"),
		"guard.unknown_warning":        tr.T("present.number.unknown_warning"),
		"guard.unknown_critical":       tr.T("present.number.unknown_critical"),
		"guard.chant_repeats":          tr.T("present.number.chant_repeats"),
		"guard.chant_units":            tr.T("present.number.chant_units"),
		"guard.chant_structured":       tr.T("present.number.chant_structured"),
		"guard.answer_warning":         tr.T("present.number.answer_warning"),
		"guard.answer_critical":        tr.T("present.number.answer_critical"),
		"guard.compaction_critical":    tr.T("present.number.compaction_critical"),
		"guard.max_steps":              tr.T("present.number.max_steps"),
		"guard.max_duration":           tr.T("present.number.max_duration"),
		"guard.max_consecutive_errors": tr.T("present.number.max_consecutive_errors"),
		"guard.nudges":                 tr.T("present.number.nudges"),
		"guard.poll_first":             tr.T("present.number.poll_first"),
		"guard.poll_cap":               tr.T("present.number.poll_cap"),
		"guard.poll_wait":              tr.T("present.number.poll_wait"),
		"guard.judge_after":            tr.T("present.number.judge_after"),
		"guard.min_confidence":         tr.T("present.number.min_confidence"),
		"guard.judge_confidence":       tr.T("present.number.judge_confidence"),
	}[key]
	if !known {
		return SentenceCase(own)
	}
	return says
}

// NumberAllowed says which values a threshold may have.
func NumberAllowed(tr *text.Printer, n agent.GuardNumber) string {
	if _, err := strconv.Atoi(n.Fallback); err == nil {
		return tr.T("present.number.whole", strconv.FormatInt(n.Min, 10), strconv.FormatInt(n.Max, 10))
	}
	least, most := time.Duration(n.Min)*time.Millisecond, time.Duration(n.Max)*time.Millisecond
	return ShortSpans(tr.T("present.number.duration", least.String(), most.String()))
}

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
