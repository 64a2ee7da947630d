package agent

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// OutputTypes are the types that a declared output may have, with what checks a
// value against them.
var OutputTypes = map[string]func(v any) bool{
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

// CheckOutputs checks declared outputs against their bounds; each error names the field.
func CheckOutputs(outputs map[string]string) error {
	if len(outputs) > maxOutputs {
		return InvalidField("outputs", "has %d names; at most %d are allowed", len(outputs), maxOutputs)
	}
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		if strings.TrimSpace(name) == "" || len(name) > maxOutputName {
			return InvalidField("outputs", "%q is not a name; allowed: 1 to %d bytes", name, maxOutputName)
		}
		if _, ok := OutputTypes[outputs[name]]; !ok {
			types := strings.Join(slices.Sorted(maps.Keys(OutputTypes)), ", ")
			return InvalidField("outputs."+name, "%q is not a type; allowed: %s", outputs[name], types)
		}
	}
	return nil
}
