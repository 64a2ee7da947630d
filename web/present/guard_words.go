package present

import (
	"strconv"
	"time"

	"fusebox/agent"
	"fusebox/views/text"
)

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
