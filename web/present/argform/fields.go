package argform

import (
	"encoding/json"
	"slices"

	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
)

// Fields is a tree as its form shows it.
func (n *Node) Fields(tr *text.Printer) []part.ArgField {
	list := make([]part.ArgField, len(n.nodes))
	for i, child := range n.nodes {
		s := child.schema
		f := part.ArgField{
			Name: child.name, Label: invisible.Visible(child.label), Help: invisible.Visible(s.Description), Kind: child.kind, Required: child.required,
			Min: s.Minimum.String(), Max: s.Maximum.String(), MaxLength: s.MaxLength.String(),
		}
		if child.kind == "choices" {
			f.Min, f.Max = s.MinItems.String(), s.MaxItems.String()
		}
		if child.kind == "group" {
			f.Fields = child.Fields(tr)
		} else {
			f.Value, f.Options = child.text(), child.options(tr)
		}
		if s.Type == "integer" {
			f.Step = "1"
		}
		list[i] = f
	}
	return list
}

// options are the values to choose from; the one that is set is always among them.
func (n *Node) options(tr *text.Printer) []part.ArgOption {
	switch n.kind {
	case "choices":
		return n.checkboxes()
	case "choice":
	default:
		return nil
	}
	values := n.schema.Enum
	if len(values) == 0 {
		values = []json.RawMessage{json.RawMessage("true"), json.RawMessage("false")}
	}
	var list []part.ArgOption
	if !n.required || n.raw == nil {
		list = append(list, part.ArgOption{Label: tr.T("present.argument.not_set")})
	}
	known := n.raw == nil
	for i, v := range values {
		known = known || jsontext.Compact(v) == jsontext.Compact(n.raw)
		list = append(list, part.ArgOption{Value: jsontext.Compact(v), Label: n.schema.labelOf(i, values)})
	}
	if !known {
		list = append(list, part.ArgOption{Value: jsontext.Compact(n.raw), Label: scalarText(n.raw)})
	}
	return list
}

// labelOf is what people read of one of the values of a schema.
func (s argSchema) labelOf(i int, values []json.RawMessage) string {
	if len(s.EnumNames) == len(values) {
		return invisible.Visible(s.EnumNames[i])
	}
	return invisible.Visible(scalarText(values[i]))
}

// checkboxes are the values of a list to choose from; those that are in it are always among
// them.
func (n *Node) checkboxes() []part.ArgOption {
	s, _ := readSchema(n.schema.Items)
	chosen := n.chosen()
	var list []part.ArgOption
	known := map[string]bool{}
	for i, v := range s.Enum {
		value := jsontext.Compact(v)
		if !known[value] {
			list = append(list, part.ArgOption{Value: value, Label: s.labelOf(i, s.Enum), Chosen: slices.Contains(chosen, value)})
		}
		known[value] = true
	}
	for _, value := range chosen {
		if !known[value] {
			list = append(list, part.ArgOption{Value: value, Label: invisible.Visible(scalarText(json.RawMessage(value))), Chosen: true})
		}
	}
	return list
}

// chosen are the values of a list as they are now.
func (n *Node) chosen() []string {
	var items []json.RawMessage
	_ = json.Unmarshal(n.raw, &items) // kindOf has seen that it is a list, or nothing
	values := make([]string, len(items))
	for i, item := range items {
		values[i] = jsontext.Compact(item)
	}
	return values
}
