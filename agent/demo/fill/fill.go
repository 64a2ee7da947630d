// Package fill makes up values that fit a JSON schema: the arguments of a call that a
// client insists on, or an answer that is bound to a schema. What a request says is used
// where it fits.
package fill

import (
	"encoding/json"
	"math"
)

// Hints are what a request says.
type Hints struct {
	Text string
	// Numbers are what numbers are filled with, in order; then made-up ones are.
	Numbers []float64
	// Picks reports whether the request means one of several options.
	Picks func(option string) bool
	// Named is what the request says of a field, by the field's name; "" for nothing.
	Named func(field string) string
}

// filler fills one schema.
type filler struct {
	hints Hints
	root  map[string]any // for references inside the schema
	depth int
	made  int // how many values were made up
}

// The bounds of what is made up.
const (
	maxDepth = 12
	maxItems = 20
	maxMade  = 10_000
)

// Value is a value of a schema, as encoding/json would decode it.
func Value(schema json.RawMessage, h Hints) any {
	f := filler{hints: h}
	return f.fill("", Decode(schema))
}

// Decode reads a schema; one that cannot be read is that of an object.
func Decode(raw json.RawMessage) map[string]any {
	var s map[string]any
	if json.Unmarshal(raw, &s) != nil {
		return map[string]any{"type": "object"}
	}
	return s
}

// fill makes up a value for a schema; name is the key under which it stands.
func (f *filler) fill(name string, schema any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return f.text(name, nil) // true: anything fits
	}
	if f.root == nil {
		f.root = s
	}
	if f.depth == maxDepth || f.made == maxMade {
		return nil
	}
	f.depth++
	f.made++
	defer func() { f.depth-- }()
	if ref, ok := s["$ref"].(string); ok {
		return f.fill(name, f.resolve(ref))
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return f.choice(list)
	}
	if one, composed := f.merged(s); composed {
		return f.fill(name, one)
	}
	return f.ofType(name, s)
}

func (f *filler) ofType(name string, s map[string]any) any {
	switch typeOf(s) {
	case "object":
		return f.object(s)
	case "array":
		return f.array(name, s)
	case "integer":
		return int64(math.Round(f.number(s, true)))
	case "number":
		return f.number(s, false)
	case "boolean":
		return true
	case "null":
		return nil
	default:
		return f.text(name, s)
	}
}

// typeOf is the type of a schema, the first of several that is not null.
func typeOf(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if text, ok := one.(string); ok && text != "null" {
				return text
			}
		}
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}
