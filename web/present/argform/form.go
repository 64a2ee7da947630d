package argform

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
)

// The fields of a form that is made from a tool's JSON schema.
const (
	// argPrefix begins the names of these fields; a JSON pointer follows.
	argPrefix = "arg"
	// maxArgDepth is how deep objects are taken apart; deeper ones are edited as JSON.
	maxArgDepth = 3
	// longText is from how many characters on a text gets several lines.
	longText = 80
	// longLimit is from which maxLength on a text is expected to be long.
	longLimit = 300
	// maxCheckboxes bounds the values that are checkboxes; more are typed.
	maxCheckboxes = 200
)

// argSchema is what a form needs of a JSON schema.
type argSchema struct {
	Type        schemaType                 `json:"type"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Enum        []json.RawMessage          `json:"enum"`
	EnumNames   []string                   `json:"enumNames"` // what people read of Enum
	Properties  map[string]json.RawMessage `json:"properties"`
	Items       json.RawMessage            `json:"items"`
	Required    []string                   `json:"required"`
	Minimum     json.Number                `json:"minimum"`
	Maximum     json.Number                `json:"maximum"`
	MaxLength   json.Number                `json:"maxLength"`
	MinItems    json.Number                `json:"minItems"`
	MaxItems    json.Number                `json:"maxItems"`
}

// schemaType is the one type that a schema allows, beside null; "" where it
// allows several, or any.
type schemaType string

// UnmarshalJSON takes both forms of JSON schema: a name, or a list of names.
func (t *schemaType) UnmarshalJSON(raw []byte) error {
	var names []string
	if json.Unmarshal(raw, &names) != nil {
		var one string
		if err := json.Unmarshal(raw, &one); err != nil {
			return err
		}
		names = []string{one}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "null" })
	if len(names) == 1 {
		*t = schemaType(names[0])
	}
	return nil
}

// Node is one value of the arguments, with what the schema says of it.
type Node struct {
	schema   argSchema
	kind     string // that of part.ArgField
	name     string // the field's name in the form
	label    string
	required bool
	raw      json.RawMessage // the value as it is now, nil where it is left out
	nodes    []Node          // those of a group
	keys     []string        // the property that each of nodes is
}

// Tree lays arguments out by a schema; ok is false where they make no form.
func Tree(schema, args json.RawMessage) (root Node, ok bool) {
	s, ok := readSchema(schema)
	if !ok || len(s.Properties) == 0 {
		return Node{}, false
	}
	root = newNode(s, argPrefix, "", true, args, 0)
	return root, root.kind == "group"
}

func readSchema(raw json.RawMessage) (argSchema, bool) {
	var s argSchema
	ok := len(raw) > 0 && json.Unmarshal(raw, &s) == nil
	return s, ok
}

// newNode finds out how a value is edited. What the schema does not describe
// simply enough, or what does not fit it, is edited as JSON.
func newNode(s argSchema, name, key string, required bool, raw json.RawMessage, depth int) Node {
	n := Node{schema: s, name: name, label: key, required: required, raw: raw}
	if s.Title != "" {
		n.label = s.Title
	}
	if n.kind = n.kindOf(depth); n.kind != "group" {
		return n
	}
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal(n.raw, &values) // kindOf has seen that it is an object, or nothing
	for _, key := range n.schema.order() {
		s, ok := readSchema(n.schema.Properties[key])
		if !ok {
			s = argSchema{} // true, or something newer: edited as JSON
		}
		name := n.name + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		n.nodes = append(n.nodes, newNode(s, name, key, slices.Contains(n.schema.Required, key), values[key], depth+1))
		n.keys = append(n.keys, key)
	}
	return n
}

// order is the properties: the required ones first, as the schema lists them,
// then the others by name.
func (s argSchema) order() []string {
	var keys []string
	for _, key := range s.Required {
		if _, ok := s.Properties[key]; ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	var rest []string
	for key := range s.Properties {
		if !slices.Contains(keys, key) {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	return append(keys, rest...)
}

func (n *Node) kindOf(depth int) string {
	var value any
	if n.raw != nil && (json.Unmarshal(n.raw, &value) != nil || value == nil) {
		return "json"
	}
	s := n.schema
	switch {
	case len(s.Enum) > 0:
		return "choice"
	case s.Type == "object" && len(s.Properties) > 0 && depth < maxArgDepth && fits[map[string]any](value):
		return "group"
	case s.Type == "boolean" && fits[bool](value):
		return "choice"
	case (s.Type == "number" || s.Type == "integer") && fits[float64](value):
		return "number"
	case s.Type == "string" && fits[string](value):
		return textKind(s, value)
	case s.Type == "array" && choosable(s.Items, value):
		return "choices"
	case s.Type == "array" && listable(s.Items, value):
		return "list"
	default:
		return "json"
	}
}

// fits reports whether a value is of a kind, or not there.
func fits[T any](value any) bool {
	_, ok := value.(T)
	return ok || value == nil
}

// textKind is a line or an area; a text with characters that no form takes
// along, or shows, is edited as JSON.
func textKind(s argSchema, value any) string {
	text, _ := value.(string)
	limit, _ := s.MaxLength.Int64()
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return r != '\r' && invisible.Hidden(r) }):
		return "json"
	case len(text) > longText, limit > longLimit, strings.ContainsAny(text, "\n\r"):
		return "long"
	default:
		return "text"
	}
}

// choosable reports whether a list is made of a few values that are known, each once.
func choosable(items json.RawMessage, value any) bool {
	s, ok := readSchema(items)
	list, isList := value.([]any)
	if !ok || len(s.Enum) == 0 || len(s.Enum) > maxCheckboxes || !isList && value != nil {
		return false
	}
	seen := map[string]bool{}
	for _, item := range list {
		raw, err := json.Marshal(item)
		if err != nil || seen[string(raw)] {
			return false
		}
		seen[string(raw)] = true
	}
	return true
}

// listable reports whether a list can be written with one item a line.
func listable(items json.RawMessage, value any) bool {
	s, ok := readSchema(items)
	if !ok || !slices.Contains([]schemaType{"string", "number", "integer", "boolean"}, s.Type) {
		return false
	}
	list, ok := value.([]any)
	if !ok {
		return value == nil
	}
	for _, item := range list {
		if text, isText := item.(string); isText && (text == "" || strings.ContainsFunc(text, func(r rune) bool { return r == '\n' || invisible.Hidden(r) })) {
			return false
		}
		switch item.(type) {
		case nil, []any, map[string]any:
			return false
		}
	}
	return true
}

// text is the value as its field shows it.
func (n *Node) text() string {
	if n.raw == nil {
		return ""
	}
	switch n.kind {
	case "text", "long":
		var text string
		_ = json.Unmarshal(n.raw, &text) // kindOf has seen that it is one
		return text
	case "list":
		var items []json.RawMessage
		_ = json.Unmarshal(n.raw, &items) // as above
		lines := make([]string, len(items))
		for i, item := range items {
			lines[i] = scalarText(item)
		}
		return strings.Join(lines, "\n")
	case "json":
		return jsontext.Indent(string(n.raw))
	default:
		return jsontext.Compact(n.raw)
	}
}

// scalarText is a text without its quotes, anything else as it is written.
func scalarText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
