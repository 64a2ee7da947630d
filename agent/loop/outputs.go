package loop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
)

// checkEmission checks a delivered value against what was declared. What does
// not fit becomes an error that the model can fix.
func (ex *executor) checkEmission(res agent.ToolResult) agent.ToolResult {
	kind, declared := ex.run.State.Outputs[res.Emit.Name]
	switch {
	case !declared:
		return badEmission("There is no declared output %q. Declared outputs: %s.", res.Emit.Name, listOutputs(ex.run.State))
	case !isOutput(res.Emit.Value, kind):
		return badEmission("The value of %q is not of type %s. Deliver it again with a value of that type.", res.Emit.Name, kind)
	}
	return res
}

func badEmission(format string, args ...any) agent.ToolResult {
	return agent.ToolResult{Content: fmt.Sprintf(format, args...), ErrorType: agent.ErrInvalidParams}
}

func missingOutputs(s agent.RunState) map[string]string {
	missing := map[string]string{}
	for name, kind := range s.Outputs {
		if _, delivered := s.Values[name]; !delivered {
			missing[name] = kind
		}
	}
	return missing
}

// conclude ends a run whose model has answered without calls, unless outputs
// are missing or steps of its plan are open: then it is reminded, a bounded number of times. Where the model has
// said nothing to the last, the run has failed.
func (x *execution) conclude() error {
	if x.run.State.HandIn.Limit != "" {
		return x.endAtLimit("", agent.Completion{})
	}
	if x.run.State.Unanswered > 0 {
		return x.end(unanswered())
	}
	if x.run.Lineage.IsChild() { // it may have put its outputs into its answer, in the place of delivering them
		r := x.with(agent.StatusRunning)
		if deliver(r, x.transcript.lastAnswer()); len(r.State.Values) > len(x.run.State.Values) {
			x.stage(agent.Change{Run: r})
		}
	}
	outputs := missingOutputs(x.run.State)
	switch {
	case x.run.State.FinishNow && x.run.Lineage.IsChild(): // a person has cut it short: its parent must not take it for done
		return x.end(ending{status: agent.StatusStopped, reason: agent.StopLoop})
	case len(outputs) > 0:
	case x.endsEarly():
		return x.askAboutPlan()
	default:
		return x.end(ending{status: agent.StatusFinished, reason: agent.StopGoal, hears: mayStep(&x.run)})
	}
	missing := listOutputs(agent.RunState{Outputs: outputs, Purposes: x.run.State.Purposes})
	if x.run.State.Nudges >= x.breakers.settings.Nudges || x.run.State.FinishNow {
		return x.end(ending{
			status: agent.StatusStopped, reason: agent.StopLoop,
			because: fmt.Sprintf("After %d reminders the model has not delivered what was asked for: %s.", x.run.State.Nudges, missing),
		})
	}
	r := x.with(agent.StatusRunning)
	r.State.Nudges++
	r.State.Unfinished = true
	remind(r, "[System reminder] You have not delivered everything yet. Call emit_value for each of the outputs that are missing. Missing: "+missing+".")
	return x.commit(agent.Change{Run: r, Events: events(agent.Notice{
		Message: fmt.Sprintf("The model was reminded of missing outputs (%d of %d): %s.", r.State.Nudges, x.breakers.settings.Nudges, missing),
	})})
}

// listOutputs writes outputs as "name (type)", or "name (type: what for)", by name.
func listOutputs(s agent.RunState) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.Outputs)) {
		kind := s.Outputs[name]
		if purpose := s.Purposes[name]; purpose != "" {
			kind += ": " + purpose
		}
		parts = append(parts, name+" ("+kind+")")
	}
	return strings.Join(parts, ", ")
}
