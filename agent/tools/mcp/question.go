package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/schema"
	"fusebox/agent/tools/printable"
)

// Bounds of a server's question.
const (
	maxQuestion = 4 << 10 // bytes of its message
	maxFields   = 20
	maxLabel    = 300 // bytes of a field's name, title, or a choice
	maxHelp     = 1000
	maxChoices  = 200
)

// field is the part of a value's schema that is used. Anything else that a server
// writes into a schema is left out.
type field struct {
	Type        string          `json:"type"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	EnumNames   []string        `json:"enumNames,omitempty"`
	Format      string          `json:"format,omitempty"`
	MinLength   *int            `json:"minLength,omitempty"`
	MaxLength   *int            `json:"maxLength,omitempty"`
	Minimum     *json.Number    `json:"minimum,omitempty"`
	Maximum     *json.Number    `json:"maximum,omitempty"`
	MinItems    *int            `json:"minItems,omitempty"`
	MaxItems    *int            `json:"maxItems,omitempty"`
	Items       *field          `json:"items,omitempty"`
	UniqueItems bool            `json:"uniqueItems,omitempty"`
	OneOf       []titled        `json:"oneOf,omitempty"`
	AnyOf       []titled        `json:"anyOf,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
}

// titled is a choice with a name for people.
type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

type form struct {
	Type                 string           `json:"type"`
	Properties           map[string]field `json:"properties"`
	Required             []string         `json:"required,omitempty"`
	AdditionalProperties bool             `json:"additionalProperties"`
}

func (k *keeper) question(p *mcp.ElicitParams) (agent.ServerQuestion, error) {
	message := strings.TrimSpace(printable.Text(strings.ToValidUTF8(p.Message, "\uFFFD")))
	switch {
	case message == "":
		return agent.ServerQuestion{}, errors.New("it is empty")
	case len(message) > maxQuestion:
		return agent.ServerQuestion{}, fmt.Errorf("its message is longer than %d bytes", maxQuestion)
	}
	q := agent.ServerQuestion{Server: k.conf.Name, Message: k.secrets.Scrub(message)}
	if p.RequestedSchema == nil {
		return q, nil
	}
	raw, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		return q, err
	}
	q.Schema, q.Preset, err = formOf(raw)
	return q, err
}

// formOf is the schema of an answer, reduced to what a form can show, and its defaults.
func formOf(raw []byte) (described, preset json.RawMessage, err error) {
	var f form
	if len(raw) > maxSchema {
		return nil, nil, fmt.Errorf("its schema is longer than %d bytes", maxSchema)
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, nil, errors.New("its schema is not of a form")
	}
	if len(f.Properties) > maxFields {
		return nil, nil, fmt.Errorf("it has more than %d fields", maxFields)
	}
	proposed := map[string]json.RawMessage{}
	for name, v := range f.Properties {
		if err := v.check(name); err != nil {
			return nil, nil, err
		}
		if len(v.Default) > 0 {
			proposed[name] = v.Default
		}
		f.Properties[name] = v.plain()
	}
	f.Type, f.AdditionalProperties = "object", false
	f.Required = slices.DeleteFunc(f.Required, func(name string) bool { _, known := f.Properties[name]; return !known })
	if described, err = json.Marshal(f); err != nil {
		return nil, nil, err
	}
	if _, err = schema.Compile("question", described); err != nil {
		return nil, nil, errors.New("its schema cannot be used")
	}
	preset, err = json.Marshal(proposed)
	return described, preset, err
}

// check bounds a field, and refuses what is not in a form.
func (v field) check(name string) error {
	switch {
	case !slices.Contains([]string{"string", "number", "integer", "boolean", "array"}, v.Type):
		return fmt.Errorf("the field %q is of a type that is not in a form", agent.Clip(name, maxLabel))
	case len(name) > maxLabel || len(v.Title) > maxLabel || len(v.Description) > maxHelp:
		return fmt.Errorf("the field %q says too much", agent.Clip(name, maxLabel))
	case v.Type == "array" && (v.Items == nil || len(v.Items.choices()) == 0):
		return fmt.Errorf("the field %q is a list without choices", name)
	}
	choices := v.choices()
	if v.Type == "array" {
		choices = v.Items.choices()
	}
	if v.MinItems != nil && (*v.MinItems > len(choices) || v.MaxItems != nil && *v.MinItems > *v.MaxItems) {
		return fmt.Errorf("the field %q asks for more choices than it allows", agent.Clip(name, maxLabel))
	}
	if len(choices) > maxChoices || slices.ContainsFunc(choices, func(c titled) bool { return len(c.Const)+len(c.Title) > maxLabel }) {
		return fmt.Errorf("the field %q has too many choices, or too long ones", name)
	}
	return nil
}

// choices are those that a text has, whichever way they are written.
func (v field) choices() []titled {
	if list := append(slices.Clone(v.OneOf), v.AnyOf...); len(list) > 0 {
		return list
	}
	var list []titled
	for i, value := range v.Enum {
		c := titled{Const: value, Title: value}
		if len(v.EnumNames) == len(v.Enum) {
			c.Title = v.EnumNames[i]
		}
		list = append(list, c)
	}
	return list
}

// plain writes a field the same way whatever the server's way was.
func (v field) plain() field {
	choices := v.choices()
	v.OneOf, v.AnyOf, v.Default, v.Enum, v.EnumNames = nil, nil, nil, nil, nil
	if v.Type == "boolean" {
		return v
	}
	for _, c := range choices {
		v.Enum, v.EnumNames = append(v.Enum, c.Const), append(v.EnumNames, c.Title)
	}
	if v.Type != "array" {
		v.Items = nil
		return v
	}
	items := v.Items.plain()
	items.Type = "string"
	v.Items, v.UniqueItems = &items, true
	return v
}
