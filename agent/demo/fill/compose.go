package fill

import (
	"maps"
	"slices"
	"strings"
)

// resolve follows a reference inside the schema.
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
