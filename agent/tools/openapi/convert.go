package openapi

import (
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
)

// converter turns one schema of a document into JSON Schema 2020-12.
type converter struct {
	old bool
	why string
}

// The keywords that hold schemas: one, a list of them, or several by name.
var (
	oneSchema = []string{
		"not", "items", "additionalProperties", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
	}
	schemaLists = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	schemaMaps  = []string{"properties", "patternProperties", "dependentSchemas"}
)

// notForModels are keywords that say nothing about which values are allowed.
var notForModels = []string{
	"discriminator", "xml", "externalDocs", "example", "examples", "readOnly", "writeOnly", "$schema", "$id", "$anchor", "$comment", "nullable",
}

func (c *converter) schema(value any) any {
	in, ok := value.(map[string]any)
	if !ok {
		return value // true and false are schemas too
	}
	if ref, ok := in["$ref"].(string); ok {
		return c.ref(ref, in)
	}
	return c.keywords(in)
}

// ref keeps a reference to a named schema. Keywords beside a $ref apply from OpenAPI 3.1 on.
func (c *converter) ref(ref string, in map[string]any) any {
	name, ok := strings.CutPrefix(ref, componentRef)
	if !ok || strings.Contains(name, "/") {
		c.why = "its schema refers to " + agent.Clip(ref, 120) + "; only " + componentRef + "NAME can be used"
		return map[string]any{}
	}
	out := map[string]any{}
	if !c.old {
		beside := maps.Clone(in)
		delete(beside, "$ref")
		out = c.keywords(beside)
	}
	out["$ref"] = defRef + name
	return out
}

func (c *converter) keywords(in map[string]any) map[string]any {
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(in)) {
		value := in[key]
		switch {
		case slices.Contains(notForModels, key) || strings.HasPrefix(key, "x-"):
		case key == "$dynamicRef" || key == "$defs" || key == "definitions":
			c.why = "its schema uses " + key + ", which cannot be used; name the schema in components instead"
		case slices.Contains(oneSchema, key):
			out[key] = c.schema(value)
		case slices.Contains(schemaLists, key):
			out[key] = c.list(value)
		case slices.Contains(schemaMaps, key):
			out[key] = c.byName(value)
		default:
			out[key] = value
		}
	}
	withoutReadOnly(in, out)
	if c.old {
		modern(in, out)
	}
	return out
}

func (c *converter) list(value any) any {
	all, ok := value.([]any)
	if !ok {
		return value
	}
	out := make([]any, len(all))
	for i := range all {
		out[i] = c.schema(all[i])
	}
	return out
}

func (c *converter) byName(value any) any {
	all, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out[name] = c.schema(all[name])
	}
	return out
}

// withoutReadOnly takes out what a service tells and is never told.
func withoutReadOnly(in, out map[string]any) {
	from, _ := in["properties"].(map[string]any)
	to, _ := out["properties"].(map[string]any)
	for name, value := range from {
		own, _ := value.(map[string]any)
		if own["readOnly"] != true {
			continue
		}
		delete(to, name)
		if required, ok := out["required"].([]any); ok {
			out["required"] = slices.DeleteFunc(slices.Clone(required), func(r any) bool { return r == name })
		}
	}
}

// modern says in JSON Schema what OpenAPI 3.0 says in words of its own.
func modern(in, out map[string]any) {
	for exclusive, plain := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if set, ok := out[exclusive].(bool); ok {
			delete(out, exclusive)
			if limit, some := out[plain]; some && set {
				out[exclusive] = limit
				delete(out, plain)
			}
		}
	}
	if in["nullable"] != true {
		return
	}
	if kind, ok := out["type"].(string); ok {
		out["type"] = []any{kind, "null"}
	}
	if values, ok := out["enum"].([]any); ok && !slices.Contains(values, any(nil)) {
		out["enum"] = append(slices.Clone(values), nil)
	}
}
