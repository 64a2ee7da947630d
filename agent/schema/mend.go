package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A tool's schema as other people's programs write it is mended in two steps. Mend undoes
// what makes a schema unusable and means nothing else: arguments are checked against what
// it returns. Plain then leaves out what endpoints refuse or cannot read: models get that.

// Mend returns a tool's schema in the words of JSON Schema 2020-12, with an object at its
// top. It fails where the top can be no object.
func Mend(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}") // no schema: no arguments
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	top, isObject := doc.(map[string]any)
	if list, isList := doc.([]any); doc == nil || doc == true || isList && len(list) == 0 {
		top = map[string]any{} // no schema, true, and the empty list of languages whose empty object it is allow everything
	} else if !isObject {
		return nil, fmt.Errorf("it is not an object")
	}
	changed := walk(top, mendOne) || !isObject
	if inPlace(top) {
		changed = true
	}
	asObject, err := beObject(top)
	if err != nil {
		return nil, err
	}
	if !knownDialect(top["$schema"]) || asObject || changed {
		delete(top, "$schema") // what is mended is of 2020-12
		changed = true
	}
	if !changed {
		return raw, nil
	}
	return write(top)
}

// beObject makes the top of a schema an object with properties.
func beObject(top map[string]any) (changed bool, err error) {
	switch t := top["type"].(type) {
	case nil:
		top["type"], changed = "object", true
	case string:
		if t != "object" {
			return false, fmt.Errorf("its type is %s; the arguments of a tool are an object", t)
		}
	case []any:
		if !slices.Contains(t, any("object")) {
			return false, fmt.Errorf("its type is no object; the arguments of a tool are one")
		}
		top["type"], changed = "object", true
	}
	if top["properties"] == nil {
		top["properties"], changed = map[string]any{}, true
	}
	return changed, nil
}

// maxHops bounds references that lead to references.
const maxHops = 8

// inPlace puts what the top refers to in the place of the reference.
func inPlace(top map[string]any) (changed bool) {
	for range maxHops {
		ref, ok := top["$ref"].(string)
		if !ok {
			return changed
		}
		target, found := resolve(top, ref)
		if !found {
			return changed // it does not compile, which says why
		}
		delete(top, "$ref")
		changed = true
		for key, value := range target {
			if _, own := top[key]; !own {
				top[key] = value
			}
		}
	}
	delete(top, "$ref") // it leads to itself
	return true
}

// resolve finds what a reference within a schema leads to.
func resolve(top map[string]any, ref string) (map[string]any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	var at any = top
	for _, key := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		within, isObject := at.(map[string]any)
		if !isObject {
			return nil, false
		}
		at = within[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	found, ok := at.(map[string]any)
	return found, ok
}

// knownDialect reports whether a schema names a dialect that can be read, or none.
func knownDialect(name any) bool {
	if name == nil {
		return true
	}
	url, _ := name.(string)
	url = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(url, "http://"), "https://"), "#")
	return slices.Contains([]string{
		"json-schema.org/draft-04/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema",
		"json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema",
	}, url)
}

// The keywords that hold schemas.
var (
	inObjects = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	inLists   = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	alone     = []string{
		"items", "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
	}
)

// walk does something to a schema and then to all that are in it.
func walk(s map[string]any, do func(map[string]any) bool) (changed bool) {
	changed = do(s)
	deeper := func(v any) {
		if inner, ok := v.(map[string]any); ok && walk(inner, do) {
			changed = true
		}
	}
	for _, key := range inObjects {
		if named, ok := s[key].(map[string]any); ok {
			for _, v := range named {
				deeper(v)
			}
		}
	}
	for _, key := range inLists {
		if list, ok := s[key].([]any); ok {
			for _, v := range list {
				deeper(v)
			}
		}
	}
	for _, key := range alone {
		deeper(s[key])
	}
	return changed
}

func write(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write a schema: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
