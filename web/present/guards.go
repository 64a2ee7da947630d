package present

import (
	"strconv"
	"strings"
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
