package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// mendOne mends one schema, without those in it.
func mendOne(s map[string]any) (changed bool) {
	for _, mend := range []func(map[string]any) bool{mendKinds, mendTypes, mendBounds, mendItems, mendSubschemas, mendPatterns, mendRequired} {
		changed = mend(s) || changed
	}
	return changed
}

// kinds are the keywords that have to be of one kind of JSON value. Any other value says
// nothing that can be used.
var kinds = map[string]func(any) bool{
	"title": is[string], "description": is[string], "format": is[string], "pattern": is[string], "$ref": is[string], "$id": is[string], "$comment": is[string],
	"$schema": is[string], "minLength": is[json.Number], "maxLength": is[json.Number], "minItems": is[json.Number], "maxItems": is[json.Number],
	"minProperties": is[json.Number], "maxProperties": is[json.Number], "minimum": is[json.Number], "maximum": is[json.Number], "multipleOf": is[json.Number],
	"uniqueItems": is[bool], "deprecated": is[bool], "readOnly": is[bool], "writeOnly": is[bool],
	"properties": is[map[string]any], "patternProperties": is[map[string]any], "$defs": is[map[string]any], "definitions": is[map[string]any],
	"enum": filled, "allOf": filled, "anyOf": filled, "oneOf": filled, "prefixItems": filled, "required": is[[]any], "examples": is[[]any],
	"additionalProperties": isSchema, "items": func(v any) bool { return isSchema(v) || filled(v) },
	"additionalItems": isSchema, "not": isSchema, "if": isSchema, "then": isSchema, "else": isSchema, "contains": isSchema,
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

func filled(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) > 0
}

func isSchema(v any) bool { return is[map[string]any](v) || is[bool](v) }

// mendKinds leaves out keywords whose value is of another kind than theirs.
func mendKinds(s map[string]any) (changed bool) {
	for key, fits := range kinds {
		if v, there := s[key]; there && !fits(v) {
			delete(s, key)
			changed = true
		}
	}
	return changed
}

// typeNames are the types, and what other languages call them.
var typeNames = map[string]string{
	"object": "object", "array": "array", "string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "null": "null",
	"dict": "object", "map": "object", "list": "array", "str": "string", "text": "string", "float": "number", "double": "number", "int": "integer", "bool": "boolean",
}

// mendTypes knows types by their other names and leaves out those that are none, such as "any".
func mendTypes(s map[string]any) bool {
	was, there := s["type"]
	if !there {
		return false
	}
	list, several := was.([]any)
	if !several {
		list = []any{was}
	}
	var types []any
	same := true
	for _, t := range list {
		written, _ := t.(string)
		name, known := typeNames[strings.ToLower(written)]
		if !known {
			delete(s, "type")
			return true
		}
		same = same && name == written && !slices.Contains(types, any(name))
		if !slices.Contains(types, any(name)) {
			types = append(types, name)
		}
	}
	switch {
	case len(types) == 0:
		delete(s, "type")
		return true
	case same:
		return false
	case several:
		s["type"] = types
	default:
		s["type"] = types[0]
	}
	return true
}

// mendBounds writes the exclusive bounds of draft 4, which are switches beside the others,
// as bounds of their own.
func mendBounds(s map[string]any) (changed bool) {
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		v, there := s[exclusive]
		if !there || is[json.Number](v) {
			continue
		}
		delete(s, exclusive)
		changed = true
		if limit, ok := s[bound]; ok && v == true {
			s[exclusive] = limit
			delete(s, bound)
		}
	}
	return changed
}

// mendItems gives every array items, and those of older drafts their new names.
func mendItems(s map[string]any) bool {
	if list, ok := s["items"].([]any); ok {
		s["prefixItems"] = list
		delete(s, "items")
		if rest, ok := s["additionalItems"]; ok {
			s["items"] = rest
			delete(s, "additionalItems")
		}
		return true
	}
	if s["type"] != "array" || s["items"] != nil || s["prefixItems"] != nil {
		return false
	}
	s["items"] = map[string]any{}
	return true
}

// mendSubschemas makes schemas of what stands in the place of one: true, null, and an empty
// list allow everything, and what cannot be read is not checked.
func mendSubschemas(s map[string]any) (changed bool) {
	mended := func(v any) (any, bool) {
		if v == false || is[map[string]any](v) {
			return v, false
		}
		return map[string]any{}, true
	}
	for _, key := range inObjects {
		named, _ := s[key].(map[string]any)
		for name, v := range named {
			if next, other := mended(v); other {
				named[name], changed = next, true
			}
		}
	}
	for _, key := range inLists {
		list, _ := s[key].([]any)
		for i, v := range list {
			if next, other := mended(v); other {
				list[i], changed = next, true
			}
		}
	}
	if s["items"] == true {
		s["items"], changed = map[string]any{}, true
	}
	return changed
}

// mendPatterns leaves out names by patterns that no engine reads. Which names they meant is
// not known then, so the others are not forbidden.
func mendPatterns(s map[string]any) bool {
	return leaveOutNames(s, func(pattern string) bool { return readPattern(pattern) != nil })
}

// leaveOutNames keeps only the names by patterns that can be read.
func leaveOutNames(s map[string]any, reads func(string) bool) (changed bool) {
	named, _ := s["patternProperties"].(map[string]any)
	for pattern := range named {
		if !reads(pattern) {
			delete(named, pattern)
			delete(s, "additionalProperties")
			delete(s, "unevaluatedProperties")
			changed = true
		}
	}
	return changed
}

// mendRequired adds the properties that are required and not declared. Where they are not
// allowed either, nothing could ever fit: these are not required.
func mendRequired(s map[string]any) (changed bool) {
	list, ok := s["required"].([]any)
	if !ok {
		return false
	}
	properties, declares := s["properties"].(map[string]any)
	closed := s["additionalProperties"] == false && s["patternProperties"] == nil
	var kept []any
	for _, name := range list {
		text, ok := name.(string)
		_, declared := properties[text]
		if !ok || slices.Contains(kept, name) || closed && !declared {
			changed = true
			continue
		}
		if declares && !declared {
			properties[text], changed = map[string]any{}, true
		}
		kept = append(kept, name)
	}
	if changed {
		s["required"] = append([]any{}, kept...)
	}
	return changed
}

// withNull lets OpenAPI's nullable schemas take null.
func withNull(s map[string]any) bool {
	if s["nullable"] != true {
		return false
	}
	if list, ok := s["enum"].([]any); ok && !slices.Contains(list, nil) {
		s["enum"] = append(list, nil)
	}
	switch t := s["type"].(type) {
	case string:
		s["type"] = []any{t, "null"}
	case []any:
		if !slices.Contains(t, any("null")) {
			s["type"] = append(t, "null")
		}
	}
	if ref, ok := s["$ref"]; ok {
		delete(s, "$ref")
		s["anyOf"] = []any{map[string]any{"$ref": ref}, map[string]any{"type": "null"}}
	}
	delete(s, "nullable")
	return true
}
