package openapi

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// arguments are what a tool takes: the operation's parameters, and its body.
type arguments struct {
	properties map[string]any
	required   []string
}

// free is a name for a parameter that no other has. The body's is kept free.
func (a *arguments) free(name, in string) string {
	arg := plainArg(name)
	for n := 1; arg == bodyArg || a.properties[arg] != nil; n++ {
		arg = plainArg(in + "_" + name)
		if n > 1 {
			arg = plainArg(in + strconv.Itoa(n) + "_" + name)
		}
	}
	return arg
}

func (a *arguments) add(arg string, schema any, description string, required bool) {
	if own, ok := schema.(map[string]any); ok && description != "" && own["description"] == nil && own["$ref"] == nil {
		own["description"] = description
	}
	a.properties[arg] = schema
	if required {
		a.required = append(a.required, arg)
	}
}

// schema is the schema of all arguments, including everything it refers to.
func (a *arguments) schema(from *schemas) (schema json.RawMessage, why string) {
	whole := map[string]any{"type": "object", "additionalProperties": false, "properties": a.properties}
	if len(a.required) > 0 {
		whole["required"] = a.required
	}
	defs, why := from.closure(a.properties)
	if why != "" {
		return nil, why
	}
	if len(defs) > 0 {
		whole["$defs"] = defs
	}
	schema, err := json.Marshal(whole)
	switch {
	case err != nil:
		return nil, "its schema cannot be written"
	case len(schema) > maxSchema:
		return nil, fmt.Sprintf("its schema, with all it refers to, is longer than %d KB", maxSchema>>10)
	}
	return schema, ""
}
