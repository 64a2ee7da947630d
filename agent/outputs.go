package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// outputTypes are the types that a declared output may have, with what holds a
// value against them.
var outputTypes = map[string]func(v any) bool{
	"string":  func(v any) bool { _, ok := v.(string); return ok },
	"number":  func(v any) bool { _, ok := v.(float64); return ok },
	"integer": func(v any) bool { n, ok := v.(float64); return ok && n == math.Trunc(n) },
	"boolean": func(v any) bool { _, ok := v.(bool); return ok },
	"object":  func(v any) bool { _, ok := v.(map[string]any); return ok },
	"array":   func(v any) bool { _, ok := v.([]any); return ok },
}

// Bounds of declared outputs.
const (
	maxOutputs    = 20
	maxOutputName = 64
)

// CheckOutputs holds declared outputs against their bounds; each error names the field.
func CheckOutputs(outputs map[string]string) error {
	if len(outputs) > maxOutputs {
		return InvalidField("outputs", "has %d names; at most %d are allowed", len(outputs), maxOutputs)
	}
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		if strings.TrimSpace(name) == "" || len(name) > maxOutputName {
			return InvalidField("outputs", "%q is no name; it needs 1 to %d bytes", name, maxOutputName)
		}
		if _, ok := outputTypes[outputs[name]]; !ok {
			types := strings.Join(slices.Sorted(maps.Keys(outputTypes)), ", ")
			return InvalidField("outputs."+name, "%q is no type; allowed: %s", outputs[name], types)
		}
	}
	return nil
}

// checkEmission holds a delivered value against what was declared. What does
// not fit becomes an error that the model can mend.
func (f *flight) checkEmission(res ToolResult) ToolResult {
	kind, declared := f.run.State.Outputs[res.Emit.Name]
	var v any
	switch {
	case !declared:
		return badEmission("There is no declared output %q. Declared are: %s.", res.Emit.Name, listOutputs(f.run.State.Outputs))
	case json.Unmarshal(res.Emit.Value, &v) != nil || !outputTypes[kind](v):
		return badEmission("The value of %q is no %s. Deliver it again with a value of that type.", res.Emit.Name, kind)
	}
	return res
}

func badEmission(format string, args ...any) ToolResult {
	return ToolResult{Content: fmt.Sprintf(format, args...), ErrorType: ErrInvalidParams}
}

// owed are the declared outputs that were not delivered.
func (f *flight) owed() map[string]string {
	owed := map[string]string{}
	for name, kind := range f.run.State.Outputs {
		if _, delivered := f.run.State.Values[name]; !delivered {
			owed[name] = kind
		}
	}
	return owed
}

// conclude ends a run whose model has answered without calls, unless it still
// owes something: then it is reminded, a bounded number of times.
func (f *flight) conclude() error {
	owed := f.owed()
	if len(owed) == 0 {
		return f.end(ending{status: StatusFinished, reason: StopGoal})
	}
	missing := listOutputs(owed)
	if f.run.State.Nudges >= f.guards.settings.Nudges || f.run.State.FinishNow {
		return f.end(ending{
			status: StatusStopped, reason: StopLoop,
			because: fmt.Sprintf("After %d reminders the model has not delivered what was asked for: %s.", f.run.State.Nudges, missing),
		})
	}
	r := f.with(StatusRunning)
	r.State.Nudges++
	r.State.Unfinished = true
	remind(r, "[System reminder] You have not delivered everything yet. Call emit_value for each of the outputs that are missing. Missing: "+missing+".")
	return f.commit(Entry{Run: r, Events: events(Notice{
		Message: fmt.Sprintf("The model was reminded of what it owes (%d of %d): %s.", r.State.Nudges, f.guards.settings.Nudges, missing),
	})})
}

// listOutputs writes outputs as "name (type)", by name.
func listOutputs(outputs map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		parts = append(parts, name+" ("+outputs[name]+")")
	}
	return strings.Join(parts, ", ")
}
