package guards

import (
	"fmt"
	"slices"

	"fusebox/agent"
)

// consecutiveErrors catches answers in a row whose tool calls all failed. Where they
// failed alike, the same tool with the same error (fingerprint.Error),
// guard.max_consecutive_errors of them are enough; where the errors differ, somebody
// is still trying, and it takes twice as many. It waits for one more where the newest
// attempt changes the one before in white space alone: that mends an indentation.
// Several failed calls
// of one answer count once; it leaves alone an answer of which one call succeeded and
// told something new, and starts again there. It warns one before, never at a single
// failure, and pauses there, and again after as many more where a person let it
// continue. The rule was measured on recorded runs.
type consecutiveErrors struct{ same int }

// different is how many times as many errors that differ are needed.
const different = 2

func (consecutiveErrors) Name() string { return "consecutive_errors" }

// Check implements agent.Guard.
func (g consecutiveErrors) Check(h *agent.History) agent.Verdict {
	if h.Next != nil || h.Failures == 0 {
		return agent.Verdict{}
	}
	answers := failedAnswers(h)
	alike := answers[:alikeFrom(answers)]
	same := g.judge(alike, g.same, corrects(alike), "with the same error")
	if v := g.judge(answers, different*g.same, false, "one after the other"); v.Level > same.Level {
		return v
	}
	return same
}

// judge places a row of failed answers, newest first, between the numbers. trying puts
// a pause off by one.
func (g consecutiveErrors) judge(answers [][]agent.CallRecord, pause int, trying bool, how string) agent.Verdict {
	count := len(answers)
	warn := pause - 1
	if warn < 2 {
		warn = 0
	}
	lvl, threshold := level(count, warn, pause)
	if lvl == agent.Pause && count%pause == 0 && trying {
		lvl, threshold = level(count, warn, 0)
	}
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	calls, tool := listed(answers)
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Count: count, Threshold: threshold, Calls: calls, Reason: agent.StopConsecutiveErrors,
		// How often the row has been long enough to pause is in its name: then it pauses again.
		Key:     fmt.Sprintf("from:%d:%d", calls[0], count/max(pause, 1)),
		Message: fmt.Sprintf("%s failed %d times %s%s", tool, count, how, quoted(answers[0][0].Words)),
	}
}

// corrects reports whether the newest failed call is the one before but for its white
// space, and not the same.
func corrects(answers [][]agent.CallRecord) bool {
	if len(answers) < 2 {
		return false
	}
	newest, before := answers[0][0], answers[1][0]
	return newest.Tool == before.Tool && newest.Ink == before.Ink && newest.Args != before.Args
}

// listed are the calls of a row, oldest first, and who made them, as a sentence begins.
func listed(answers [][]agent.CallRecord) (calls []int, tool string) {
	tool = answers[0][0].Tool
	for _, answer := range slices.Backward(answers) {
		for _, c := range slices.Backward(answer) {
			calls = append(calls, c.N)
			if c.Tool != tool {
				tool = "Tool calls"
			}
		}
	}
	return calls, tool
}

// quoted ends a sentence with a tool's own words.
func quoted(words string) string {
	if words == "" {
		return "."
	}
	return fmt.Sprintf(": %q.", words)
}

// failedAnswers are the failed calls of the answers that h.Failures counts, the newest
// answer first, and in it the newest call. What a guard blocked never ran and is not a
// failure.
func failedAnswers(h *agent.History) (answers [][]agent.CallRecord) {
	step := 0
	for i := len(h.Calls) - 1; i >= 0; i-- {
		c := h.Calls[i]
		if !c.Failed || c.Blocked {
			continue
		}
		if len(answers) == 0 || c.Step != step {
			if len(answers) == h.Failures {
				break
			}
			answers, step = append(answers, nil), c.Step
		}
		newest := len(answers) - 1
		answers[newest] = append(answers[newest], c)
	}
	return answers
}

// alikeFrom is how many answers, from the newest one back, have a call that failed as
// the newest one did.
func alikeFrom(answers [][]agent.CallRecord) int {
	for n, calls := range answers {
		like := answers[0][0]
		if !slices.ContainsFunc(calls, func(c agent.CallRecord) bool { return c.Tool == like.Tool && c.Error == like.Error }) {
			return n
		}
	}
	return len(answers)
}
