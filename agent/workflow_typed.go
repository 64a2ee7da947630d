package agent

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Tidy leaves out of what people have written what nobody sees, such as spaces around a task.
func (w Workflow) Tidy() Workflow {
	w.Name, w.Purpose = strings.TrimSpace(w.Name), strings.Join(strings.Fields(w.Purpose), " ")
	w.Inputs, w.Steps = slices.Clone(w.Inputs), slices.Clone(w.Steps)
	for i := range w.Inputs {
		in := &w.Inputs[i]
		in.Name, in.Label = strings.TrimSpace(in.Name), strings.TrimSpace(in.Label)
	}
	for i := range w.Steps {
		step := &w.Steps[i]
		step.Name, step.Task = strings.TrimSpace(step.Name), strings.TrimSpace(lineBreaks.Replace(step.Task))
	}
	return w
}

// maxInput bounds what a person fills in, in bytes of JSON.
const maxInput = 8 << 10

// CheckInputs checks what was filled in for the workflow. Invalid, with the field that is wrong.
func (w Workflow) CheckInputs(given map[string]json.RawMessage) error {
	if err := w.CheckSomeInputs(given); err != nil {
		return err
	}
	for _, in := range w.Inputs {
		if text := string(given[in.Name]); in.Required && (text == "" || text == `""`) {
			return InvalidField("inputs."+in.Name, "is missing; %s asks for it", w.Name)
		}
	}
	return nil
}

// CheckSomeInputs is CheckInputs, though required ones may be missing still.
func (w Workflow) CheckSomeInputs(given map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		field := "inputs." + Clip(name, 40)
		at := slices.IndexFunc(w.Inputs, func(in WorkflowInput) bool { return in.Name == name })
		if at < 0 {
			return InvalidField(field, "is not an input of %s", w.Name)
		}
		if len(given[name]) > maxInput {
			return InvalidField(field, "has %d bytes; at most %d are allowed", len(given[name]), maxInput)
		}
		kind := cmp.Or(w.Inputs[at].Type, "string")
		var value any
		if err := json.Unmarshal(given[name], &value); err != nil || !OutputTypes[kind](value) {
			return InvalidField(field, "is not what is asked for; allowed: a value of the type %s", kind)
		}
	}
	return nil
}

// KnownInputs are those of what was filled in that the workflow asks for.
func (w Workflow) KnownInputs(given map[string]json.RawMessage) map[string]json.RawMessage {
	known := map[string]json.RawMessage{}
	for _, in := range w.Inputs {
		if value, ok := given[in.Name]; ok {
			known[in.Name] = value
		}
	}
	return known
}
