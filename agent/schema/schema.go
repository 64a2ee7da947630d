// Package schema checks values against JSON schemas and says in words what is wrong with
// them: arguments of tools, and what people answer. It imports agent alone of ours.
package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"fusebox/agent"
)

// MaxBytes bounds the arguments of one call.
const MaxBytes = 1 << 20

// maxProblems bounds how many problems are reported at once.
const maxProblems = 20

// Schema is a JSON schema, ready for use.
type Schema struct {
	compiled *jsonschema.Schema
	budget   *budget
}

// Compile reads a schema; name is what its own references are resolved against.
func Compile(name string, schema json.RawMessage) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	if top, ok := doc.(map[string]any); ok {
		walk(top, withNull)
	}
	patterns := &budget{}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patterns.engine)
	url := "tool:" + name
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(url)
	return &Schema{compiled, patterns}, err
}

// noLoader keeps schemas from outside from reading files and addresses by a $ref.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema must not refer to %s", url)
}

// Check reads JSON text that has to fit the schema; "" and null are an empty object. Values
// that are one encoding away from fitting are returned as they fit. Its errors have code Invalid with one FieldError per problem.
func (s *Schema) Check(args string) (json.RawMessage, error) {
	if len(args) > MaxBytes {
		return nil, agent.InvalidField("arguments", "have %d bytes; at most %d are allowed", len(args), MaxBytes)
	}
	args = strings.TrimSpace(args)
	if args == "" || args == "null" {
		args = "{}"
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
	if err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal([]byte(args), new(any))); ok {
			return nil, agent.InvalidField("arguments", "are not valid JSON: %v at byte %d", syntax, syntax.Offset)
		}
		return nil, agent.InvalidField("arguments", "are not valid JSON: %v", err)
	}
	defer s.budget.begin()()
	var bad *jsonschema.ValidationError
	if err := s.compiled.Validate(value); errors.As(err, &bad) {
		if fits, ok := s.read(value, bad); ok {
			return write(fits)
		}
		return nil, problems(bad, slices.Sorted(maps.Keys(s.compiled.Properties)))
	} else if err != nil {
		return nil, agent.Wrap(agent.Invalid, err, "The arguments cannot be checked.")
	}
	return json.RawMessage(args), nil
}

// problems turns the leaves of a validation error into FieldErrors; allowed
// are the fields that the tool knows.
func problems(err *jsonschema.ValidationError, allowed []string) error {
	e := agent.Errorf(agent.Invalid, "The arguments do not match the tool's schema.")
	var walk func(*jsonschema.ValidationError)
	walk = func(v *jsonschema.ValidationError) {
		for _, cause := range v.Causes {
			walk(cause)
		}
		if len(v.Causes) == 0 {
			e.Fields = append(e.Fields, fieldErrors(v, allowed)...)
		}
		e.Fields = e.Fields[:min(len(e.Fields), maxProblems)]
	}
	walk(err)
	if len(e.Fields) > 0 {
		e.Message = "The arguments do not match the tool's schema: " + e.Fields[0].Field + ": " + e.Fields[0].Detail + "."
	}
	return e
}

// fieldErrors names the field itself also where it is the one that is missing
// or the one too many.
func fieldErrors(v *jsonschema.ValidationError, allowed []string) []agent.FieldError {
	at := func(name ...string) string {
		return cmp.Or(strings.Join(append(slices.Clone(v.InstanceLocation), name...), "."), "arguments")
	}
	var found []agent.FieldError
	switch k := v.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			found = append(found, agent.FieldError{Field: at(name), Detail: "is missing; it is required"})
		}
	case *kind.AdditionalProperties:
		detail := "is not a field of this tool"
		if len(v.InstanceLocation) == 0 {
			detail += "; allowed: " + strings.Join(allowed, ", ")
		}
		for _, name := range k.Properties {
			found = append(found, agent.FieldError{Field: at(name), Detail: detail})
		}
	default:
		found = append(found, agent.FieldError{Field: at(), Detail: inWords(v.ErrorKind)})
	}
	return found
}
