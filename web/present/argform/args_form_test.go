package argform

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

const wideSchema = `{"type":"object","required":["command","n"],"properties":{
	"command":{"type":"string","maxLength":20000,"description":"What to run"},
	"n":{"type":"integer","minimum":1,"maximum":5},
	"big":{"type":"number"},
	"dry":{"type":"boolean"},
	"level":{"enum":["low","high",3]},
	"tags":{"type":"array","items":{"type":"string"}},
	"ids":{"type":"array","items":{"type":"integer"}},
	"odd":{"type":"array","items":{"type":"object"}},
	"days":{"type":"array","minItems":1,"items":{"enum":["mon","tue",3],"enumNames":["Monday","Tuesday","Third"]}},
	"name":{"type":["string","null"]},
	"a/b~c":{"type":"string"},
	"any":true,
	"target":{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"deep":{"type":"object","properties":{
		"x":{"type":"number"},"deeper":{"type":"object","properties":{"y":{"type":"string"}}}}}}}
}}`

// posted is what a browser sends of a form that nobody touched.
func posted(fields []part.ArgField, into url.Values) url.Values {
	for _, f := range fields {
		if f.Kind == "group" {
			posted(f.Fields, into)
			continue
		}
		if f.Kind == "choices" {
			into.Set(f.Name, "")
			for _, o := range f.Options {
				if o.Chosen {
					into.Add(f.Name, o.Value)
				}
			}
			continue
		}
		into.Set(f.Name, strings.ReplaceAll(LineBreaks(f.Value), "\n", "\r\n"))
	}
	return into
}

func sameJSON(t *testing.T, want, got string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &b); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUntouchedFormChangesNothing(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		`{"command":"ls","n":1}`,
		`{"command":"\nfirst\r\nsecond\n","n":5,"name":""}`,
		`{"command":" ","n":2,"big":12345678901234567890.5,"dry":false,"level":3}`,
		`{"command":"<b>&\"","n":1,"level":"middle","dry":true}`,
		`{"command":"ls","n":1,"tags":["a","b c"],"ids":[1,20],"odd":[{"x":1}]}`,
		`{"command":"ls","n":1,"tags":[],"ids":[]}`,
		`{"command":"ls","n":1,"days":["tue",3]}`,
		`{"command":"ls","n":1,"days":[3,"mon","never heard of"]}`,
		`{"command":"ls","n":1,"days":["mon","mon"]}`,
		`{"command":"ls","n":1,"days":"mon"}`,
		`{"command":"ls","n":1,"days":[]}`,
		`{"command":"ls","n":1,"tags":["two\nlines",""],"name":null}`,
		`{"command":5,"n":"one","tags":"x","dry":"yes","target":7}`,
		`{"command":"a\u0000b","n":1,"unknown":{"kept":[1,2]},"a/b~c":"x"}`,
		`{"command":"ls","n":1,"target":{}}`,
		`{"command":"ls","n":1,"target":{"path":"p","more":1,"deep":{"x":1e3,"deeper":{"y":"z"}}},"any":{"z":[]}}`,
		`{}`,
	} {
		root, ok := Tree(json.RawMessage(wideSchema), json.RawMessage(args))
		if !ok {
			t.Fatalf("%s makes no form", args)
		}
		form := posted(root.Fields(text.In(t.Context())), url.Values{})
		if args == `{}` {
			form.Set("arg/command", "ls")
			form.Set("arg/n", "1")
		}
		got, err := Read(json.RawMessage(wideSchema), json.RawMessage(args), form)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if args == `{}` {
			args = `{"command":"ls","n":1}`
		}
		sameJSON(t, args, string(got))
		if strings.Contains(args, "12345678901234567890.5") && !strings.Contains(string(got), "12345678901234567890.5") {
			t.Errorf("a long number lost digits: %s", got)
		}
	}
}

func TestEditedForm(t *testing.T) {
	t.Parallel()
	const args = `{"command":"ls","n":1,"dry":true,"tags":["a"],"name":"bob","unknown":1,"target":{"path":"p","deep":{"x":2}}}`
	for _, row := range []struct{ name, field, value, want, problem string }{
		{"a text", "arg/command", "ls -l\r\npwd", `{"command":"ls -l\npwd"}`, ""},
		{"a number stays a number", "arg/n", " 3 ", `{"n":3}`, ""},
		{"no number", "arg/n", "three", "", "is not a number: three"},
		{"a required number that is empty", "arg/n", "", "", "is missing"},
		{"a boolean", "arg/dry", "false", `{"dry":false}`, ""},
		{"an optional one left out", "arg/dry", "", `{"dry":null}`, ""},
		{"a choice", "arg/level", `"high"`, `{"level":"high"}`, ""},
		{"a list", "arg/tags", "a\r\n\r\nb c\r\n", `{"tags":["a","b c"]}`, ""},
		{"a list of numbers", "arg/ids", "1\r\n2", `{"ids":[1,2]}`, ""},
		{"a list with a word", "arg/ids", "1\r\nx", "", "is not a number: x"},
		{"an optional text left out", "arg/name", "", `{"name":null}`, ""},
		{"a required text may be empty", "arg/command", "", `{"command":""}`, ""},
		{"JSON", "arg/any", `{"a":1}`, `{"any":{"a":1}}`, ""},
		{"broken JSON", "arg/any", `{"a"`, "", "is not valid JSON"},
		{"a nested number", "arg/target/deep/x", "2.5", `{"target":{"path":"p","deep":{"x":2.5}}}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			root, _ := Tree(json.RawMessage(wideSchema), json.RawMessage(args))
			form := posted(root.Fields(text.In(t.Context())), url.Values{})
			form.Set(row.field, row.value)
			got, err := Read(json.RawMessage(wideSchema), json.RawMessage(args), form)
			if row.problem != "" {
				if detail := agent.FieldErrors(err)[row.field]; !strings.Contains(detail, row.problem) {
					t.Errorf("%s: %q, want %q", row.field, detail, row.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want, change := map[string]any{}, map[string]any{}
			if json.Unmarshal([]byte(args), &want) != nil || json.Unmarshal([]byte(row.want), &change) != nil {
				t.Fatal("the row is broken")
			}
			for k, v := range change {
				if want[k] = v; v == nil {
					delete(want, k)
				}
			}
			raw, _ := json.Marshal(want)
			sameJSON(t, string(raw), string(got))
		})
	}
}

// TestChoices: a list of known values is checkboxes, which are read in their order; what
// was checked stays checked where something else is wrong.
func TestChoices(t *testing.T) {
	t.Parallel()
	args := json.RawMessage(`{"command":"ls","n":1,"days":["tue"]}`)
	for _, row := range []struct {
		name string
		sent []string
		want string
	}{
		{"another one", []string{"", `"mon"`, `"tue"`}, `["mon","tue"]`},
		{"not a text", []string{"", `3`}, `[3]`},
		{"none", []string{""}, `null`},
		{"nothing sent", nil, `["tue"]`},
	} {
		root, _ := Tree(json.RawMessage(wideSchema), args)
		form := posted(root.Fields(text.In(t.Context())), url.Values{})
		delete(form, "arg/days")
		if row.sent != nil {
			form["arg/days"] = row.sent
		}
		got, err := Read(json.RawMessage(wideSchema), args, form)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		var values map[string]json.RawMessage
		if json.Unmarshal(got, &values) != nil || string(orNull(values["days"])) != row.want {
			t.Errorf("%s: %s", row.name, got)
		}
		for _, f := range TypedFields(root.Fields(text.In(t.Context())), form, []agent.FieldError{{Field: "args.days", Detail: "has too few"}}) {
			for _, o := range f.Options {
				if f.Name == "arg/days" && row.sent != nil && (o.Chosen != strings.Contains(strings.Join(row.sent, " "), o.Value) || f.Error == "") {
					t.Errorf("%s: %+v", row.name, f)
				}
			}
		}
	}
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// What was typed stays, and each error stands at its field, nested ones too.
func TestTypedFieldsKeepTextAndErrors(t *testing.T) {
	t.Parallel()
	root, _ := Tree(json.RawMessage(wideSchema), json.RawMessage(`{"command":"ls","n":1}`))
	form := url.Values{"arg/n": {"many"}, "arg/target/path": {"typed"}}
	fields := TypedFields(root.Fields(text.In(t.Context())), form, []agent.FieldError{{Field: "arg/n", Detail: "is not a number"}, {Field: "args.target.path", Detail: "is not allowed"}})
	got := map[string][2]string{}
	for _, f := range fields {
		got[f.Name] = [2]string{f.Value, f.Error}
		for _, g := range f.Fields {
			got[g.Name] = [2]string{g.Value, g.Error}
		}
	}
	for name, want := range map[string][2]string{
		"arg/n": {"many", "is not a number"}, "arg/target/path": {"typed", "is not allowed"}, "arg/command": {"ls", ""},
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

func TestNoFormWithoutProperties(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{``, `{}`, `{"type":"object"}`, `true`, `{"type":"string"}`} {
		if _, ok := Tree(json.RawMessage(schema), json.RawMessage(`{}`)); ok {
			t.Errorf("%q makes a form", schema)
		}
	}
}
