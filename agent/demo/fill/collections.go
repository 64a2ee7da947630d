package fill

import (
	"maps"
	"slices"
	"strconv"
)

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
