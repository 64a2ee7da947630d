package agent

import (
	"slices"

	"fusebox/agent/fingerprint"
)

// Trace is a run's past as the guards look at it: calls and answers in the
// order in which they happened. It is rebuilt from the run's rows, so that
// compaction, pauses and restarts change nothing of it.
type Trace struct {
	calls  []CallRecord
	counts map[callKey]int
	// seen are calls with their results: what is not in it is progress.
	seen map[outcomeKey]bool
	// made are calls that acted: one that is not in it is progress.
	made      map[callKey]bool
	answers   []string
	unknown   int
	failures  int
	answer    outcome
	compacted int
	reach     int
	// base is the trace that this one goes on from, whose counts and results
	// it adds to; nil for none.
	base *Trace
}

type callKey struct{ tool, args string }

type outcomeKey struct {
	callKey
	result string
}

// outcome is how the calls of one answer of the model went.
type outcome struct {
	step              int
	failed, succeeded bool
}

// NewTrace makes an empty trace that hands out reach calls, see Reach, of a run
// whose context was compacted last after call number compacted, 0 for never.
func NewTrace(reach, compacted int) *Trace {
	return &Trace{counts: map[callKey]int{}, seen: map[outcomeKey]bool{}, made: map[callKey]bool{}, reach: reach, compacted: compacted}
}

// Reach is how many calls back the detectors look: the window, wider by what a
// person allowed, or what a rule's own thresholds need.
func Reach(s GuardSettings, c GuardConfig, allowed int) int {
	reach := max(MinHistory, s.Window)
	for _, r := range c.Rules {
		reach = max(reach, r.Critical+beyondCritical)
	}
	return reach + allowed
}

// Fork is a trace that goes on from this one, which it leaves as it is. It is
// of use until this one goes on itself.
func (t *Trace) Fork() *Trace {
	fork := *t
	fork.base, fork.counts, fork.seen, fork.made = t, map[callKey]int{}, map[outcomeKey]bool{}, map[callKey]bool{}
	fork.calls = slices.Clip(t.calls[max(len(t.calls)-t.reach, 0):])
	fork.answers = slices.Clone(t.answers)
	return &fork
}

func (t *Trace) count(key callKey) int {
	if t.base == nil {
		return t.counts[key]
	}
	return t.counts[key] + t.base.count(key)
}

func (t *Trace) known(done outcomeKey) bool {
	return t.seen[done] || t.base != nil && t.base.known(done)
}

// Add appends a call as far as it has come.
func (t *Trace) Add(c CallRecord) {
	switch most := t.reach + t.reach/2; len(t.calls) {
	case MinHistory / 4:
		t.calls = slices.Grow(t.calls, most-len(t.calls))
	case most:
		t.calls = t.calls[:copy(t.calls, t.calls[most-t.reach:])] // what is older is forgotten
	}
	key := callKey{c.Tool, c.Args}
	c.Repeats = c.Result != "" && t.known(outcomeKey{key, c.Result})
	missed := func(before CallRecord) bool { return before.Missing && before.Words == c.Words }
	if c.Missing && !slices.ContainsFunc(t.calls, missed) || c.Answers && !c.Repeats {
		c.Failed = false // that something is not there is a result, the first time
	}
	if i := t.twin(c); i >= 0 {
		c.Failed = t.calls[i].Failed // it was made once for both
	}
	c.Progress = t.advances(&c)
	t.calls = append(t.calls, c)
	t.counts[key]++
	if c.Unknown {
		t.unknown++
	}
	if t.answer.step != c.Step {
		t.failures = t.Failures()
		t.answer = outcome{step: c.Step}
	}
	t.answer.failed = t.answer.failed || c.Failed
	t.answer.succeeded = t.answer.succeeded || c.Succeeded && !c.Repeats
	if c.Result != "" && !c.Repeats {
		t.seen[outcomeKey{key, c.Result}] = true
		t.answers = t.answers[:0]
	}
}

// advances reports, and notes, whether a call does what no call of the run has done. What
// it has handed over counts where that may have changed something.
func (t *Trace) advances(c *CallRecord) bool {
	if c.Delegation != nil {
		return c.Delegation.Changed
	}
	key, deed := c.deed()
	if !deed || t.did(key) {
		return false
	}
	t.made[key] = true
	return true
}

// deed is what a call that acts and succeeded has done: of a tool that writes it is another
// deed with other arguments, of any other tool where these differ in more than numbers and
// the like.
func (c *CallRecord) deed() (key callKey, deed bool) {
	if c.Writes {
		return callKey{c.Tool, c.Args}, c.Acts && c.Succeeded
	}
	return callKey{c.Tool, c.Shape}, c.Acts && c.Succeeded
}

func (t *Trace) did(key callKey) bool { return t.made[key] || t.base != nil && t.base.did(key) }

// twin is where the same call of the same answer is, -1 for nowhere.
func (t *Trace) twin(c CallRecord) int {
	for i := len(t.calls) - 1; i >= 0 && t.calls[i].Step == c.Step; i-- {
		if t.calls[i].Same(&c) {
			return i
		}
	}
	return -1
}

const maxAnswers = 50

// Say appends the text of an answer; empty text is none.
func (t *Trace) Say(text string) {
	fp := fingerprint.Text(text)
	if fp == "" {
		return
	}
	t.answers = append(t.answers, fp)
	t.answers = t.answers[max(len(t.answers)-maxAnswers, 0):]
}

// Failures counts the newest answers in a row of whose calls at least one
// failed and none succeeded.
func (t *Trace) Failures() int {
	switch {
	case t.answer.succeeded:
		return 0
	case t.answer.failed:
		return t.failures + 1
	default:
		return t.failures
	}
}

// History is what a guard may look at before next is executed; nil judges the
// run itself.
func (t *Trace) History(next *CallRecord, s GuardSettings) *History {
	h := &History{
		Calls: t.calls[max(len(t.calls)-t.reach, 0):], Window: s.Window, Next: next,
		Answers: t.answers, Unknown: t.unknown, Failures: t.Failures(), Compacted: t.compacted,
	}
	if next == nil {
		return h
	}
	h.SameInRun = t.count(callKey{next.Tool, next.Args}) + 1
	if next.Unknown {
		h.Unknown++
	}
	return h
}
