package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"fusebox/agent"
)

// Where schemas are named in documents, and in what models and the validator read.
const (
	componentRef = "#/components/schemas/"
	defRef       = "#/$defs/"
)

// schemas turns a document's schemas into JSON Schema. Schemas that others refer to, perhaps
// themselves, stay references.
type schemas struct {
	doc   *openapi3.T
	old   bool // OpenAPI 3.0, whose schemas are a dialect
	named map[string]any
	why   map[string]string // what is wrong with some of named
}

// convert is a schema as JSON Schema; why says what it needs that cannot be had.
func (s *schemas) convert(ref *openapi3.SchemaRef) (schema any, why string) {
	if ref == nil {
		return map[string]any{}, ""
	}
	text, err := json.Marshal(ref)
	if err == nil {
		err = json.Unmarshal(text, &schema)
	}
	if err != nil {
		return nil, "its schema cannot be read"
	}
	c := converter{old: s.old}
	schema = c.schema(schema)
	return schema, c.why
}

// closure is everything that schemas refer to, by name.
func (s *schemas) closure(from any) (defs map[string]any, why string) {
	defs = map[string]any{}
	next := refsIn(from, nil)
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if defs[name] != nil {
			continue
		}
		schema, why := s.byName(name)
		if why != "" {
			return nil, why
		}
		defs[name] = schema
		next = append(next, refsIn(schema, nil)...)
	}
	return defs, ""
}

// byName converts a named schema once.
func (s *schemas) byName(name string) (schema any, why string) {
	if schema, done := s.named[name]; done {
		return schema, s.why[name]
	}
	var ref *openapi3.SchemaRef
	if s.doc.Components != nil {
		ref = s.doc.Components.Schemas[name]
	}
	if ref == nil {
		return nil, "it refers to the schema " + agent.Clip(name, 80) + ", which there is none of"
	}
	s.named[name], s.why[name] = s.convert(ref)
	return s.named[name], s.why[name]
}

// refsIn are the names that a converted schema refers to.
func refsIn(value any, found []string) []string {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if ref, ok := v[key].(string); ok && key == "$ref" {
				found = append(found, strings.TrimPrefix(ref, defRef))
				continue
			}
			found = refsIn(v[key], found)
		}
	case []any:
		for _, item := range v {
			found = refsIn(item, found)
		}
	}
	return found
}
