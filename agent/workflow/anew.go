package workflow

import (
	"slices"

	"fusebox/agent"
)

// Anew are the places of the steps that are made anew where one of them is: itself, those that it is
// made together with, and all that need one of these, directly or not.
func Anew(w agent.Workflow, at int) []int {
	anew := []int{at}
	if first := w.First(); slices.Contains(first, at) && together(w) {
		anew = first
	}
	for grown := true; grown; {
		grown = false
		for other := range w.Steps {
			if slices.Contains(anew, other) {
				continue
			}
			if slices.ContainsFunc(w.Needs(other), func(need int) bool { return slices.Contains(anew, need) }) {
				anew, grown = append(anew, other), true
			}
		}
	}
	slices.Sort(anew)
	return anew
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
