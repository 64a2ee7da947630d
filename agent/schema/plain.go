package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Plain is a schema that Mend returned without what endpoints refuse or cannot read, and
// what says nothing to a model: it allows at least what the schema allows.
func Plain(mended json.RawMessage) (json.RawMessage, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(mended))
	if err != nil {
		return nil, err
	}
	top, ok := doc.(map[string]any)
	if !ok {
		return mended, nil
	}
	changed := walk(top, plainOne)
	for _, key := range []string{"$schema", "$id", "not", "enum", "const"} {
		if _, there := top[key]; there {
			delete(top, key)
			changed = true
		}
	}
	if changed = flatten(top) || changed; !changed {
		return mended, nil
	}
	return write(top)
}

// plainOne leaves out patterns that endpoints' engines do not read, and properties that
// must not be there.
func plainOne(s map[string]any) (changed bool) {
	if pattern, ok := s["pattern"].(string); ok && !readsEverywhere(pattern) {
		delete(s, "pattern")
		changed = true
	}
	changed = leaveOutNames(s, readsEverywhere) || changed
	properties, _ := s["properties"].(map[string]any)
	for name, v := range properties {
		if v == false {
			delete(properties, name)
			changed = true
		}
	}
	return changed
}

// readsEverywhere reports whether a pattern needs no engine that looks ahead or behind.
func readsEverywhere(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

// flatten makes one object of the alternatives and parts at the top of a schema, which
// endpoints refuse there. Of alternatives, only what all of them require is required.
func flatten(top map[string]any) (changed bool) {
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		branches, ok := top[key].([]any)
		if !ok {
			continue
		}
		delete(top, key)
		changed = true
		var required [][]any
		for _, b := range branches {
			if branch, ok := b.(map[string]any); ok {
				required = append(required, takeOver(top, branch, 0))
			}
		}
		for _, names := range required {
			for _, name := range names {
				everywhere := !slices.ContainsFunc(required, func(other []any) bool { return !slices.Contains(other, name) })
				require(top, name, key == "allOf" || everywhere)
			}
		}
	}
	return changed
}

// takeOver adds the properties of a branch to the top, and returns what it requires.
func takeOver(top, branch map[string]any, depth int) (required []any) {
	if ref, ok := branch["$ref"].(string); ok && depth < maxHops {
		if target, found := resolve(top, ref); found {
			required = append(required, takeOver(top, target, depth+1)...)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := branch[key].([]any)
		for _, p := range parts {
			if part, ok := p.(map[string]any); ok && depth < maxHops {
				inner := takeOver(top, part, depth+1)
				if key == "allOf" {
					required = append(required, inner...)
				}
			}
		}
	}
	properties, _ := top["properties"].(map[string]any)
	theirs, _ := branch["properties"].(map[string]any)
	for name, v := range theirs {
		if was, double := properties[name]; double && !reflect.DeepEqual(was, v) {
			v = either(was, v)
		}
		properties[name] = v
	}
	own, _ := branch["required"].([]any)
	return append(required, own...)
}

// either allows what one of two schemas allows.
func either(a, b any) any {
	if of, ok := a.(map[string]any); ok && len(of) == 1 {
		if list, ok := of["anyOf"].([]any); ok {
			if slices.ContainsFunc(list, func(known any) bool { return reflect.DeepEqual(known, b) }) {
				return a
			}
			return map[string]any{"anyOf": append(slices.Clone(list), b)}
		}
	}
	return map[string]any{"anyOf": []any{a, b}}
}

func require(top map[string]any, name any, really bool) {
	list, _ := top["required"].([]any)
	if really && !slices.Contains(list, name) {
		top["required"] = append(list, name)
	}
}
