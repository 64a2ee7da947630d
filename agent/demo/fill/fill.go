// Package fill makes up values that fit a JSON schema: the arguments of a call that a
// client insists on, or an answer that is bound to a schema. What a request says is used
// where it fits.
package fill

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
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
		named := slices.IndexFunc(list, func(v any) bool { text, ok := v.(string); return ok && f.hints.Picks(text) })
		return list[max(named, 0)]
	}
	if one, composed := f.merged(s); composed {
		return f.fill(name, one)
	}
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

// object fills what is required first, as far as it goes in the order that is
// given, and then what else is declared.
func (f *filler) object(s map[string]any) map[string]any {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	out := map[string]any{}
	for _, r := range required {
		if name, ok := r.(string); ok {
			out[name] = f.fill(name, properties[name])
		}
	}
	if f.depth > maxDepth/2 {
		return out // deep enough: what may be left out is
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if _, done := out[name]; !done && len(required) == 0 {
			out[name] = f.fill(name, properties[name])
		}
	}
	return out
}

func (f *filler) array(name string, s map[string]any) []any {
	out := []any{}
	if prefix, ok := s["prefixItems"].([]any); ok {
		for _, p := range prefix {
			out = append(out, f.fill(name, p))
		}
	}
	least, most := intOf(s["minItems"], 1), intOf(s["maxItems"], maxItems)
	items, has := s["items"]
	if !has && len(out) >= least {
		return out
	}
	for len(out) < min(max(least, 1), most, maxItems) {
		v := f.fill(name, items)
		if s["uniqueItems"] == true {
			v = f.unlike(out, v, items)
		}
		out = append(out, v)
	}
	return out
}

// unlike changes a value so that it is not among others.
func (f *filler) unlike(others []any, v, schema any) any {
	if s, ok := schema.(map[string]any); ok {
		if list, ok := s["enum"].([]any); ok && len(list) > len(others) {
			return list[len(others)]
		}
	}
	switch v := v.(type) {
	case int64:
		return v + int64(len(others))
	case float64:
		return v + float64(len(others))
	case string:
		if len(others) > 0 {
			return v + " " + strconv.Itoa(len(others)+1)
		}
	}
	return v
}

func (f *filler) resolve(ref string) any {
	var at any = f.root
	for _, key := range strings.Split(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if key == "" {
			continue
		}
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	return at
}

// merged joins what a schema says with all of allOf and the first possible of
// anyOf and oneOf; composed is false where it has none of these.
func (f *filler) merged(s map[string]any) (one map[string]any, composed bool) {
	var parts []any
	if all, ok := s["allOf"].([]any); ok {
		parts = append(parts, all...)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if options, ok := s[key].([]any); ok && len(options) > 0 {
			i := slices.IndexFunc(options, func(o any) bool { m, ok := o.(map[string]any); return ok && m["type"] != "null" })
			parts = append(parts, options[max(i, 0)])
		}
	}
	if len(parts) == 0 {
		return s, false
	}
	out := map[string]any{}
	for k, v := range s {
		if k != "allOf" && k != "anyOf" && k != "oneOf" {
			out[k] = v
		}
	}
	for _, p := range parts {
		f.addPart(out, p)
	}
	return out, true
}

func (f *filler) addPart(out map[string]any, part any) {
	m, ok := part.(map[string]any)
	for n := 0; ok && m["$ref"] != nil && n < maxDepth; n++ {
		ref, _ := m["$ref"].(string)
		m, ok = f.resolve(ref).(map[string]any)
	}
	for k, v := range m {
		switch before := out[k].(type) {
		case map[string]any: // properties
			if more, ok := v.(map[string]any); ok {
				both := maps.Clone(before)
				maps.Copy(both, more)
				out[k] = both
				continue
			}
		case []any: // required
			if more, ok := v.([]any); ok {
				out[k] = slices.Concat(before, more)
				continue
			}
		}
		out[k] = v
	}
}
