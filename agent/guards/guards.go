package guards

import (
	"slices"

	"fusebox/agent"
)

// All returns the detectors in the order in which they speak when several are
// equally severe: the breakers first, then the most specific.
func All(s agent.GuardSettings) []agent.Guard {
	return []agent.Guard{
		breaker{limit: s.Breaker, ceiling: s.Ceiling},
		postCompaction{pause: s.CompactionCritical},
		unknownTool{warn: s.UnknownWarning, pause: s.UnknownCritical},
		genericRepeat{warn: s.Warning, pause: s.Critical},
		noProgress{warn: s.Warning, pause: s.Critical},
		pingPong{warn: s.Warning, pause: s.Critical},
		cycle{warn: s.CycleWarning, pause: s.CycleCritical},
		similarRepeat{warn: s.SimilarWarning, pause: s.SimilarCritical},
		nothingNew{warn: s.NothingNewWarning, pause: s.NothingNewCritical},
		treeRepeat{warn: s.Warning, pause: s.Critical, stop: s.Breaker},
		idleDelegation{warn: s.Warning, pause: s.Critical, stop: s.Breaker},
		repeatedAnswer{warn: s.AnswerWarning, pause: s.AnswerCritical},
		maxSteps{},
		maxDuration{},
		consecutiveErrors{same: s.MaxConsecutiveErrors},
	}
}

// Detectors lists all detectors, those of streams and the judge included.
var Detectors = []agent.Detector{
	{Name: "generic_repeat", Catches: "The same call several times in a row. Where it only looks, and each result is new, it only warns."},
	{Name: "no_progress", Catches: "The same call with the same result, and nothing new done in between."},
	{Name: "ping_pong", Catches: "Two calls that alternate and change nothing."},
	{Name: "cycle", Catches: "Three to ten calls that repeat in the same order."},
	{Name: "similar_repeat", Catches: "Calls that differ only in numbers, dates, ids or spelling, with the same result."},
	{Name: "nothing_new", Catches: "Calls in any order that were all made before, with the same results."},
	{Name: "tree_repeat", Catches: "The same call with the same result, or the same failure, by several agents of one answer."},
	{Name: "idle_delegation", Catches: "Tasks handed over again and again, from which nothing new comes."},
	{Name: "global_circuit_breaker", Catches: "Stops even what a person allowed: the same call with the same result, and too many identical calls in one run."},
	{Name: "unknown_tool", Catches: "Calls to tools that do not exist."},
	{Name: "post_compaction", Catches: "A repeated call whose result was known before the context was compacted."},
	{Name: "chanting", Catches: "Text that repeats itself while it is streamed."},
	{Name: "repeated_answer", Catches: "The same answer several times, with nothing done in between."},
	{Name: "model_judge", Catches: "A small model that reviews a long run and finds it going in circles."},
	{Name: "consecutive_errors", Catches: "Consecutive answers whose tool calls all failed: three with the same error, or six."},
	{Name: "max_steps", Catches: "The limit of model calls."},
	{Name: "max_duration", Catches: "The limit of running time."},
}

// Known reports whether there is a detector of that name.
func Known(name string) bool {
	return slices.ContainsFunc(Detectors, func(d agent.Detector) bool { return d.Name == name })
}

// level places a count between two thresholds; 0 switches one off.
func level(count, warn, pause int) (agent.Level, int) {
	switch {
	case pause > 0 && count >= pause:
		return agent.Pause, pause
	case warn > 0 && count >= warn:
		return agent.Warn, warn
	default:
		return agent.Pass, 0
	}
}

// moved are the thresholds for the call that is judged: its tool's own, where
// a rule gives them, and further away by what a person has allowed.
func moved(h *agent.History, warn, pause int) (int, int) {
	if h.Warning > 0 && warn > 0 {
		warn = h.Warning
	}
	if h.Critical > 0 && pause > 0 {
		pause = h.Critical
	}
	return later(warn, h.Allowed), later(pause, h.Allowed)
}

func later(threshold, by int) int {
	if threshold == 0 {
		return 0
	}
	return threshold + by
}

// callKey names the streak of one call.
func callKey(c *agent.CallRecord) string { return agent.CallRef{Tool: c.Tool, Args: c.Args}.Key() }

// numbers lists the positions of the records that match, oldest first, Next last.
func numbers(h *agent.History, calls []agent.CallRecord, match func(*agent.CallRecord) bool) []int {
	var ns []int
	for i := range calls {
		if match(&calls[i]) {
			ns = append(ns, calls[i].N)
		}
	}
	return append(ns, h.Next.N)
}

// kept reports whether two results may be the same: a call without one, or a
// blocked one, has changed nothing.
func kept(a, b string) bool { return a == "" || b == "" || a == b }

// Streams makes the detectors that read one answer to a task while it is streamed: its
// text, its reasoning, or the arguments of its calls, by the kind of their deltas.
func Streams(s agent.GuardSettings, task string, of agent.DeltaKind) []agent.StreamGuard {
	if of == agent.DeltaCallArgs {
		return []agent.StreamGuard{NewArgumentsChanting(task)}
	}
	return []agent.StreamGuard{NewChanting(s, task)}
}
