package answer

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fusebox/agent"
)

type offer map[string]offered

// offered is a tool, with the types of its arguments by their names.
type offered struct {
	schema json.RawMessage
	types  map[string][]string
}

func newOffer(tools []agent.ToolSpec) offer {
	o := make(offer, len(tools))
	for _, t := range tools {
		var schema struct {
			Properties map[string]property `json:"properties"`
		}
		_ = json.Unmarshal(t.Parameters, &schema) // without types, arguments are read as what they look like
		types := make(map[string][]string, len(schema.Properties))
		for name, p := range schema.Properties {
			types[name] = p.types()
		}
		o[t.Name] = offered{t.Parameters, types}
	}
	return o
}

type property struct {
	Type  any        `json:"type"` // a text, or a list of them
	AnyOf []property `json:"anyOf"`
	OneOf []property `json:"oneOf"`
}

func (p property) types() (all []string) {
	switch t := p.Type.(type) {
	case string:
		all = append(all, t)
	case []any:
		for _, one := range t {
			name, _ := one.(string)
			all = append(all, name)
		}
	}
	for _, other := range slices.Concat(p.AnyOf, p.OneOf) {
		all = append(all, other.types()...)
	}
	return all
}

// typed reads an argument that is written as text, as its tool's schema wants it: a string
// is the text as it is. Without a type it is what it looks like.
func (o offer) typed(tool, key, text string) any {
	types := o[tool].types[key]
	bare := strings.TrimSpace(text)
	switch {
	case slices.Contains(types, "string") && (bare != "null" || !slices.Contains(types, "null")):
		return text
	case json.Valid([]byte(bare)):
		return json.RawMessage(bare)
	case slices.Contains(types, "boolean") && (bare == "True" || bare == "False"): // as Python has it
		return bare == "True"
	default:
		return text
	}
}

// tool is the offered tool that a name means, "" for none.
func (o offer) tool(name string) string {
	return toolMeant(name, func(name string) bool { _, known := o[name]; return known })
}

// toolMeant is the tool that a name means, "" for none. Servers leave a model's control
// tokens in it, GLM's arguments, and the namespace of all tools.
func toolMeant(name string, offered func(string) bool) string {
	if offered(name) {
		return name
	}
	for _, mark := range []string{"<|", argKey} {
		name, _, _ = strings.Cut(name, mark)
	}
	if name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "functions.")); offered(name) {
		return name
	}
	return ""
}

// resolve puts the tools that calls mean in the place of the names, and says why they cannot
// be made, "" where they can.
func (o offer) resolve(calls []agent.CallRequest) (why string) {
	for i, c := range calls {
		switch tool := o.tool(c.Name); {
		case len(o) == 0:
			return "no tools are offered here"
		case tool == "":
			return "there is no tool of that name"
		default:
			calls[i].Name = tool
		}
	}
	return ""
}

// namedIn reports whether a text names a tool as a call does: between signs, not as a word
// of a sentence.
func (o offer) namedIn(text string) bool {
	var names []string
	for name := range o {
		names = append(names, regexp.QuoteMeta(name))
	}
	if len(names) == 0 {
		return false
	}
	named, err := regexp.Compile("(?:[^\\s\\w`]|\n)(?:" + strings.Join(names, "|") + ")(?:[^\\w\\s,.;!?]|\\s*(?:$|[\n<{]))")
	return err == nil && named.MatchString(text)
}

// FitsSchema reports whether arguments fit a tool's schema.
func FitsSchema(schema json.RawMessage, args string) bool {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
	if err != nil {
		return false
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return false
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is loaded from anywhere
	if err := c.AddResource("tool", doc); err != nil {
		return false
	}
	s, err := c.Compile("tool")
	return err == nil && s.Validate(value) == nil
}
