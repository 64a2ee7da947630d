package argform

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/views/part"
)

// Read turns the fields of a posted form into arguments. A field that nobody
// touched keeps its value as it was written, and what the schema does not know
// is kept too. Its errors stand at the fields' names.
func Read(schema, original json.RawMessage, form url.Values) (json.RawMessage, error) {
	root, ok := Tree(schema, original)
	if !ok {
		return nil, agent.InvalidField("args", "cannot be edited as a form; edit them as JSON")
	}
	r := argReader{form: form}
	args := r.group(root)
	if len(r.problems) > 0 {
		e := agent.Errorf(agent.Invalid, "Some of the arguments cannot be taken.")
		e.Fields = r.problems
		return nil, e
	}
	return args, nil
}

type argReader struct {
	form     url.Values
	problems []agent.FieldError
}

func (r *argReader) wrong(n Node, detail string) json.RawMessage {
	r.problems = append(r.problems, agent.FieldError{Field: n.name, Detail: detail})
	return nil
}

// group puts the fields of an object together. One that is optional, was not
// there and has nothing in it stays away.
func (r *argReader) group(n Node) json.RawMessage {
	if n.raw == nil && !n.required && r.blank(n) {
		return nil
	}
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal(n.raw, &values) // Tree has seen that it is an object, or nothing
	for i, child := range n.nodes {
		if value := r.value(child); value != nil {
			values[n.keys[i]] = value
		} else {
			delete(values, n.keys[i])
		}
	}
	return r.written(n, values)
}

func (r *argReader) written(n Node, value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		return r.wrong(n, "cannot be written as JSON")
	}
	return raw
}

// blank reports whether nothing was typed into a group.
func (r *argReader) blank(n Node) bool {
	for _, child := range n.nodes {
		if child.kind == "group" && !r.blank(child) || child.kind != "group" && strings.Join(r.form[child.name], "") != "" {
			return false
		}
	}
	return true
}

// value is what a field says now, nil where it is left out.
func (r *argReader) value(n Node) json.RawMessage {
	if n.kind == "group" {
		return r.group(n)
	}
	posted, sent := r.form[n.name]
	if !sent {
		return n.raw
	}
	if n.kind == "choices" {
		return r.choices(n, posted)
	}
	text := LineBreaks(posted[0])
	if n.raw != nil && text == LineBreaks(n.text()) {
		return n.raw
	}
	if strings.TrimSpace(text) == "" && n.kind != "text" && n.kind != "long" || text == "" {
		return r.empty(n)
	}
	switch n.kind {
	case "list":
		return r.list(n, text)
	case "choice", "json":
		if !json.Valid([]byte(text)) {
			return r.wrong(n, "is not valid JSON")
		}
		return json.RawMessage(text)
	default:
		return r.scalar(n, n.schema.Type, text)
	}
}

func (r *argReader) empty(n Node) json.RawMessage {
	switch {
	case !n.required, n.raw == nil && n.kind != "number" && n.kind != "choice" && n.kind != "json":
		return nil // the schema speaks of what is missing
	case n.kind == "text" || n.kind == "long":
		return json.RawMessage(`""`)
	case n.kind == "list":
		return json.RawMessage(`[]`)
	default:
		return r.wrong(n, "is missing; it is required")
	}
}

// choices are the checkboxes that are checked. The form sends an empty value as well, which
// says that it has them.
func (r *argReader) choices(n Node, posted []string) json.RawMessage {
	items := []json.RawMessage{}
	var values []string
	for _, value := range posted {
		if value == "" {
			continue
		}
		if !json.Valid([]byte(value)) {
			return r.wrong(n, "is not valid JSON")
		}
		items, values = append(items, json.RawMessage(value)), append(values, value)
	}
	before := n.chosen()
	switch {
	case n.raw != nil && len(values) == len(before) && !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(before, v) }):
		return n.raw
	case len(items) == 0 && !n.required:
		return nil
	}
	return r.written(n, items)
}

func (r *argReader) list(n Node, text string) json.RawMessage {
	s, _ := readSchema(n.schema.Items)
	items := []json.RawMessage{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			continue
		}
		if item := r.scalar(n, s.Type, line); item != nil {
			items = append(items, item)
		}
	}
	return r.written(n, items)
}

// scalar is one value of a type. Numbers stay as they are written: a float would
// lose the last digits of a long one.
func (r *argReader) scalar(n Node, kind schemaType, text string) json.RawMessage {
	if kind == "string" {
		return r.written(n, text)
	}
	text = strings.TrimSpace(text)
	var err error
	if kind == "boolean" {
		var b bool
		err = json.Unmarshal([]byte(text), &b)
	} else {
		var f float64
		err = json.Unmarshal([]byte(text), &f)
	}
	switch {
	case err == nil:
		return json.RawMessage(text)
	case kind == "boolean":
		return r.wrong(n, "is neither true nor false: "+agent.Clip(text, 40))
	default:
		return r.wrong(n, "is not a number: "+agent.Clip(text, 40))
	}
}

// LineBreaks makes them one character, as forms send them in two.
func LineBreaks(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// TypedFields are fields with what was typed into them, and their errors, which
// are named as the tool's schema names them: dotted, after "args.".
func TypedFields(fields []part.ArgField, form url.Values, errs []agent.FieldError) []part.ArgField {
	for i := range fields {
		f := &fields[i]
		if typed, sent := form[f.Name]; sent {
			f.Value = LineBreaks(typed[0])
			for k := range f.Options {
				f.Options[k].Chosen = slices.Contains(typed, f.Options[k].Value)
			}
		}
		dotted := strings.ReplaceAll("args"+strings.TrimPrefix(f.Name, argPrefix), "/", ".")
		hasParts := f.Kind == "list" || f.Kind == "choices" || f.Kind == "json" // which have no fields of their own
		for _, e := range errs {
			if e.Field == f.Name || e.Field == dotted || hasParts && strings.HasPrefix(e.Field, dotted+".") {
				f.Error = strings.TrimPrefix(f.Error+"; "+e.Detail, "; ")
			}
		}
		TypedFields(f.Fields, form, errs)
	}
	return fields
}

// Placed reports whether an error stands at one of the fields.
func Placed(fields []part.ArgField, detail string) bool {
	for _, f := range fields {
		if strings.Contains(f.Error, detail) || Placed(f.Fields, detail) {
			return true
		}
	}
	return false
}
