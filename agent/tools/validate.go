package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"fusebox/agent"
)

// maxArgs bounds the arguments of one call, in bytes.
const maxArgs = 2 << 20

// maxProblems bounds how many problems are told at once.
const maxProblems = 20

func compile(name string, schema json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	url := "tool:" + name
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// Validate implements agent.Toolbox.
func (r *Registry) Validate(name, args string) (json.RawMessage, error) {
	schema, ok := r.schemas[name]
	if !ok {
		return nil, agent.Errorf(agent.NotFound, "There is no tool named %q. The tools are: %s.", name, r.names())
	}
	if len(args) > maxArgs {
		return nil, agent.InvalidField("arguments", "have %d bytes; at most %d are allowed", len(args), maxArgs)
	}
	args = strings.TrimSpace(args)
	if args == "" || args == "null" {
		args = "{}"
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
	if err != nil {
		return nil, brokenJSON(args, err)
	}
	var bad *jsonschema.ValidationError
	if err := schema.Validate(value); errors.As(err, &bad) {
		return nil, problems(bad)
	} else if err != nil {
		return nil, agent.Wrap(agent.Invalid, err, "The arguments cannot be checked.")
	}
	return json.RawMessage(args), nil
}

func brokenJSON(args string, err error) error {
	var syntax *json.SyntaxError
	if strict := json.Unmarshal([]byte(args), new(any)); errors.As(strict, &syntax) {
		return agent.InvalidField("arguments", "are no valid JSON: %v at byte %d", syntax, syntax.Offset)
	}
	return agent.InvalidField("arguments", "are no valid JSON: %v", err)
}

// problems turns the leaves of a validation error into one FieldError each.
func problems(err *jsonschema.ValidationError) error {
	e := agent.Errorf(agent.Invalid, "The arguments do not fit the tool's schema.")
	english := message.NewPrinter(language.English)
	var walk func(*jsonschema.ValidationError)
	walk = func(v *jsonschema.ValidationError) {
		for _, cause := range v.Causes {
			walk(cause)
		}
		if len(v.Causes) > 0 || len(e.Fields) >= maxProblems {
			return
		}
		field := strings.Join(v.InstanceLocation, ".")
		if field == "" {
			field = "arguments"
		}
		e.Fields = append(e.Fields, agent.FieldError{Field: field, Detail: v.ErrorKind.LocalizedString(english)})
	}
	walk(err)
	if len(e.Fields) > 0 {
		e.Message = "The arguments do not fit the tool's schema: " + e.Fields[0].Field + ": " + e.Fields[0].Detail + "."
	}
	return e
}
