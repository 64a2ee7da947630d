package agent

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
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

// MaxOutputs bounds how many outputs a conversation or message declares.
const MaxOutputs = 20

// Bounds of what is said of an output.
const (
	maxOutputName = 64
	maxPurpose    = 500
)

// CheckPurposes checks what outputs are for against its bounds; each error names the field.
func CheckPurposes(purposes map[string]string) error {
	if len(purposes) > MaxOutputs {
		return InvalidField("outputPurposes", "has %d names; at most %d are allowed", len(purposes), MaxOutputs)
	}
	for _, name := range slices.Sorted(maps.Keys(purposes)) {
		if len(name) > maxOutputName {
			return InvalidField("outputPurposes", "%q is not a name; allowed: 1 to %d bytes", Clip(name, maxOutputName), maxOutputName)
		}
		if text := purposes[name]; len(text) > maxPurpose || !utf8.ValidString(text) {
			return InvalidField("outputPurposes."+name, "is too long; at most %d bytes are allowed", maxPurpose)
		}
	}
	return nil
}

// CheckOutputs checks declared outputs against their bounds; each error names the field.
func CheckOutputs(outputs map[string]string) error {
	if len(outputs) > MaxOutputs {
		return InvalidField("outputs", "has %d names; at most %d are allowed", len(outputs), MaxOutputs)
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
