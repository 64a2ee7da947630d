package present

import (
	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/gist"
	"fusebox/web/present/jsontext"
)

// longestPeriod is the longest row of different calls that is shown as a pattern.
const longestPeriod = 10

// patternOf is a streak in a few words: each different call of it once, with how often
// it came and what it gave. Calls that only resemble each other are one line, the
// newest, in which the differences are marked.
func patternOf(tr *text.Printer, calls []agent.EvidenceCall) []part.LoopStep {
	kinds := kindsOf(calls)
	if len(kinds) == 0 {
		return nil
	}
	if len(kinds) > 1 && !turns(calls, len(kinds)) {
		return []part.LoopStep{similarStep(tr, calls)}
	}
	steps := make([]part.LoopStep, len(kinds))
	for i, kind := range kinds {
		c := kind[0]
		steps[i] = part.LoopStep{Times: len(kind), Tool: c.ToolName, Args: unchanged(stepGist(c)), Gives: commonResult(tr, kind)}
		if len(kinds) > 1 {
			steps[i].Letter = string(rune('A' + i))
		}
	}
	return steps
}

// kindsOf are the calls of a streak, equal ones together, in the order they first came.
func kindsOf(calls []agent.EvidenceCall) [][]agent.EvidenceCall {
	at := map[string]int{}
	var kinds [][]agent.EvidenceCall
	for _, c := range calls {
		i, known := at[callKey(c)]
		if !known {
			i = len(kinds)
			at[callKey(c)] = i
			kinds = append(kinds, nil)
		}
		kinds[i] = append(kinds[i], c)
	}
	return kinds
}

func callKey(c agent.EvidenceCall) string { return c.ToolName + " " + jsontext.Compact(c.Args) }

// turns reports whether each call repeats the one a period before it.
func turns(calls []agent.EvidenceCall, period int) bool {
	if period > longestPeriod || len(calls) < 2*period {
		return false
	}
	for i := period; i < len(calls); i++ {
		if callKey(calls[i]) != callKey(calls[i-period]) {
			return false
		}
	}
	return true
}

// similarStep is one line for calls of one tool that differ a little, else only how many there are.
func similarStep(tr *text.Printer, calls []agent.EvidenceCall) part.LoopStep {
	first, last := calls[0], calls[len(calls)-1]
	step := part.LoopStep{Times: len(calls), Gives: commonResult(tr, calls)}
	for _, c := range calls {
		if c.ToolName != last.ToolName {
			step.Tool = tr.T("present.loop.different_calls")
			return step
		}
	}
	step.Tool, step.Args = last.ToolName, changes(stepGist(first), stepGist(last))
	return step
}

func stepGist(c agent.EvidenceCall) string {
	return agent.Clip(gist.OfCall(c.ToolName, string(c.Args), nil), maxPreview)
}

// commonResult is what the calls that ran all gave, "" where that is long or none ran.
func commonResult(tr *text.Printer, calls []agent.EvidenceCall) string {
	result, ran := "", false
	for _, c := range calls {
		switch {
		case c.Blocked || c.Result == "":
		case !ran:
			result, ran = c.Result, true
		case c.Result != result:
			return tr.T("present.loop.different_results")
		}
	}
	if said := gist.OfResult(result, maxResultGist); said != "" || !ran {
		return said
	}
	return tr.T("present.loop.same_result")
}
