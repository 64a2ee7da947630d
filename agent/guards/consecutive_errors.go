package guards

import (
	"fmt"
	"slices"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// consecutiveErrors catches answers in a row whose tool calls all failed. Where they
// failed alike, the same tool with the same error (fingerprint.Error),
// guard.max_consecutive_errors of them are enough; where the errors differ, somebody
// is still trying, and it takes twice as many. It waits for one more where the newest
// attempt changes the one before in white space alone: that mends an indentation.
// Several failed calls of one answer count once; it leaves alone an answer of which one
// call succeeded and told something new, and starts again there. Only a call that is
// hardly changed and fails alike counts across such answers, up to one that did something
// new: looking in between does not mend it, and it takes one more. It warns one before, never at a single
// failure, and pauses there, and again after as many more where a person let it
// continue. The rule was measured on recorded runs.
type consecutiveErrors struct{ same int }

// different is how many times as many errors that differ are needed.
const different = 2

func (consecutiveErrors) Name() string { return "consecutive_errors" }

func (g consecutiveErrors) Check(h *agent.History) agent.Verdict {
	if h.Next != nil || h.Failures == 0 {
		return agent.Verdict{}
	}
	answers := failedAnswers(h)
	alike := answers[:alikeFrom(answers)]
	same := g.judge(alike, g.same, corrects(alike), "with the same error")
	if v := g.judge(answers, different*g.same, false, "one after the other"); v.Level > same.Level {
		same = v
	}
	if v := g.judge(insisting(h), g.same+1, false, "with the same error"); v.Level == agent.Pause && same.Level < agent.Pause {
		return v
	}
	return same
}

// judge places a row of failed answers, newest first, between the numbers. trying puts
// a pause off by one.
func (g consecutiveErrors) judge(answers [][]agent.CallRecord, pause int, trying bool, how string) agent.Verdict {
	count := len(answers)
	if count == 0 {
		return agent.Verdict{}
	}
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
	words := "."
	if own := answers[0][0].Words; own != "" {
		words = fmt.Sprintf(": %q.", own)
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Count: count, Threshold: threshold, Calls: calls, Reason: agent.StopConsecutiveErrors,
		// How often the row has been long enough to pause is in its name: then it pauses again.
		Key:     fmt.Sprintf("from:%d:%d", calls[0], count/max(pause, 1)),
		Message: fmt.Sprintf("%s failed %d times %s%s", tool, count, how, words),
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
		if !slices.ContainsFunc(calls, func(c agent.CallRecord) bool { return failAlike(&c, &like) }) {
			return n
		}
	}
	return len(answers)
}

// How much two calls must have in common, in percent: those of which little is changed,
// and those of which hardly anything is.
const (
	littleChanged = 60
	hardlyChanged = 90
)

// failAlike reports whether two calls of a tool failed with the same error. Where its words
// differ in paths and numbers, or there are none, they are only the same if little of the
// call is changed: three guesses at three files are three failures.
func failAlike(a, b *agent.CallRecord) bool {
	return a.Tool == b.Tool && a.Error == b.Error && (a.Words != "" && a.Words == b.Words || inCommon(a, b, littleChanged))
}

func inCommon(a, b *agent.CallRecord, percent int) bool {
	return fingerprint.Likeness(a.Sketch, b.Sketch) >= percent
}

// insisting are the answers, newest first, with a call that is hardly changed from the
// newest and failed alike, whatever was looked at or failed in between, back to the newest
// call that did something new. Calls that are all equal are left to noProgress.
func insisting(h *agent.History) (answers [][]agent.CallRecord) {
	calls := h.Recent()
	var newest *agent.CallRecord
	varied := false
	for i := len(calls) - 1; i >= 0 && !calls[i].Progress; i-- {
		c := &calls[i]
		if !c.Failed || c.Blocked {
			continue
		}
		if newest == nil {
			newest = c
		}
		if len(answers) > 0 && answers[len(answers)-1][0].Step == c.Step || !failAlike(c, newest) || !inCommon(c, newest, hardlyChanged) {
			continue
		}
		answers = append(answers, []agent.CallRecord{*c})
		varied = varied || !c.Same(newest)
	}
	if !varied {
		return nil
	}
	return answers
}
