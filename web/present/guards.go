package present

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/views/page"
)

// RuleWords is what a rule says, in sentences; none for one that says nothing.
func RuleWords(r agent.ToolRule) []string {
	var says []string
	if r.Polling {
		says = append(says, "The same call again is no loop as long as its result changes.")
	}
	if len(r.Identity) > 0 {
		says = append(says, "Two calls are the same where "+InWords(r.Identity)+" are equal; other arguments do not count.")
	}
	if len(r.Volatile) > 0 {
		says = append(says, "In its results "+InWords(r.Volatile)+" may change without being progress.")
	}
	switch {
	case r.Warning > 0 && r.Critical > 0:
		says = append(says, "The model is reminded at "+strconv.Itoa(r.Warning)+" equal calls, a person is asked at "+strconv.Itoa(r.Critical)+".")
	case r.Warning > 0:
		says = append(says, "The model is reminded at "+strconv.Itoa(r.Warning)+" equal calls.")
	case r.Critical > 0:
		says = append(says, "A person is asked at "+strconv.Itoa(r.Critical)+" equal calls.")
	}
	return says
}

// InWords lists names: a, b and c.
func InWords(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// SentenceCase begins a text with a capital.
func SentenceCase(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// VerdictRows are what the breakers said in a run, level in words.
func VerdictRows(verdicts []agent.VerdictRecord) []page.VerdictRow {
	rows := make([]page.VerdictRow, len(verdicts))
	for i, v := range verdicts {
		rows[i] = page.VerdictRow{Step: strconv.Itoa(v.Step), Detector: v.Detector, Message: v.Message}
		rows[i].Level, rows[i].Tone = levelWords(v)
	}
	return rows
}

func levelWords(v agent.VerdictRecord) (words, tone string) {
	switch v.Level {
	case agent.Warn.String():
		words, tone = "reminded", "warm"
	case agent.Pause.String():
		words, tone = "paused", "tripped"
	case agent.Stop.String():
		words, tone = "stopped", "tripped"
	default:
		return "spared", ""
	}
	if v.Off {
		return "would have " + words + " (switched off)", ""
	}
	return words, tone
}
