package workflow

import (
	"slices"

	"fusebox/agent"
)

// Rerun returns the indexes of the steps that run again when the one at an index does: that step, the
// ones that only make sense together with it, and all that need any of these, directly or indirectly.
func Rerun(w agent.Workflow, at int) []int {
	again := []int{at}
	if first := w.First(); slices.Contains(first, at) && together(w) {
		again = first
	}
	for grown := true; grown; {
		grown = false
		for other := range w.Steps {
			if slices.Contains(again, other) {
				continue
			}
			if slices.ContainsFunc(w.Needs(other), func(need int) bool { return slices.Contains(again, need) }) {
				again, grown = append(again, other), true
			}
		}
	}
	slices.Sort(again)
	return again
}

// together reports whether the steps that need no others have one result: they go round, one of them leads,
// or one of them is chosen.
func together(w agent.Workflow) bool {
	switch w.Kind {
	case agent.FlowLoop, agent.FlowMesh, agent.FlowHierarchy, agent.FlowDynamic:
		return true
	case agent.FlowSequence, agent.FlowParallel:
	}
	return w.Join == agent.JoinBest
}
