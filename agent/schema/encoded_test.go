package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestOneEncodingAway: what can be read in exactly one way is, without losing anything, and
// what fits stays as it is. No wanted value is a refusal.
func TestOneEncodingAway(t *testing.T) {
	t.Parallel()
	object := func(properties string) string { return `{"type":"object","properties":` + properties + `}` }
	plans := object(`{"s":{"type":"array","items":{"enum":["not_started","in_progress","completed","blocked"]}}}`)
	for name, tt := range map[string]struct{ schema, args, want string }{
		"a plan's statuses": {
			plans, `{"s":["pending","To-do"," Doing","In progress","in-progress","done","Complete","stuck","blocked"]}`,
			`{"s":["not_started","not_started","in_progress","in_progress","in_progress","completed","completed","blocked","blocked"]}`,
		},
		"no status":                {plans, `{"s":["cancelled"]}`, ``},
		"another list of statuses": {object(`{"s":{"enum":["not_started","in_progress","completed","blocked","gone"]}}`), `{"s":"done"}`, ``},
		"fewer statuses":           {object(`{"s":{"enum":["in_progress","completed"]}}`), `{"s":"done"}`, ``},
		"an integer":               {object(`{"n":{"type":"integer"}}`), `{"n":"3"}`, `{"n":3}`},
		"a big one":                {object(`{"n":{"type":"integer"}}`), `{"n":"123456789012345678901234567890"}`, `{"n":123456789012345678901234567890}`},
		"with an exponent":         {object(`{"n":{"type":"integer"}}`), `{"n":"1e3"}`, `{"n":1000}`},
		"a whole decimal":          {object(`{"n":{"type":"integer"}}`), `{"n":"5.0"}`, `{"n":5}`},
		"a half":                   {object(`{"n":{"type":"integer"}}`), `{"n":"5.5"}`, ``},
		"a number":                 {object(`{"n":{"type":"number"}}`), `{"n":"1e3"}`, `{"n":1e3}`},
		"a long one":               {object(`{"n":{"type":"number"}}`), `{"n":" 0.12345678901234567890 "}`, `{"n":0.12345678901234567890}`},
		"below its least":          {object(`{"n":{"type":"integer","minimum":5}}`), `{"n":"3"}`, ``},
		"a word":                   {object(`{"n":{"type":"integer"}}`), `{"n":"five"}`, ``},
		"no number":                {object(`{"n":{"type":"number"}}`), `{"n":"NaN"}`, ``},
		"endless":                  {object(`{"n":{"type":"number"}}`), `{"n":"1e999"}`, ``},
		"endless, whole":           {object(`{"n":{"type":"integer"}}`), `{"n":"1e999999999"}`, ``},
		"with zeros":               {object(`{"n":{"type":"integer"}}`), `{"n":"007"}`, ``},
		"with a comma":             {object(`{"n":{"type":"integer"}}`), `{"n":"1,000"}`, ``},
		"hexadecimal":              {object(`{"n":{"type":"integer"}}`), `{"n":"0x10"}`, ``},
		"a switch":                 {object(`{"b":{"type":"boolean"},"c":{"type":"boolean"}}`), `{"b":"true","c":"False"}`, `{"b":true,"c":false}`},
		"yes":                      {object(`{"b":{"type":"boolean"}}`), `{"b":"yes"}`, ``},
		"one":                      {object(`{"b":{"type":"boolean"}}`), `{"b":1}`, ``},
		"a text":                   {object(`{"s":{"type":"string"}}`), `{"s":12345}`, `{"s":"12345"}`},
		"a text, exactly":          {object(`{"s":{"type":"string"}}`), `{"s":1.50}`, `{"s":"1.50"}`},
		"a text of a switch":       {object(`{"s":{"type":"string"}}`), `{"s":true}`, `{"s":"true"}`},
		"a text that fits":         {object(`{"s":{"type":"string"},"n":{"type":"integer"}}`), `{"n":"1","s":"007"}`, `{"n":1,"s":"007"}`},
		"all texts":                {object(`{"s":{"type":"string"}}`), `{ "s": "[1, 2]" }`, `{ "s": "[1, 2]" }`},
		"a list":                   {object(`{"l":{"type":"array","items":{"type":"string"}}}`), `{"l":"[\"a\",\"b\"]"}`, `{"l":["a","b"]}`},
		"in a list":                {object(`{"l":{"type":"array","items":{"type":"integer"}}}`), `{"l":["1",2,"3"]}`, `{"l":[1,2,3]}`},
		"texts within a text":      {object(`{"l":{"type":"array","items":{"type":"integer"}}}`), `{"l":"[\"1\",\"2\"]"}`, `{"l":[1,2]}`},
		"one for a list":           {object(`{"l":{"type":"array","items":{"type":"string"}}}`), `{"l":"a.txt"}`, `{"l":["a.txt"]}`},
		"an object for a list":     {object(`{"l":{"type":"array","items":{"type":"object"}}}`), `{"l":{"a":1}}`, `{"l":[{"a":1}]}`},
		"a number for a list":      {object(`{"l":{"type":"array","items":{"type":"integer"}}}`), `{"l":"5"}`, `{"l":[5]}`},
		"several in one":           {object(`{"l":{"type":"array","items":{"type":"string"}}}`), `{"l":"a.txt, b.txt"}`, ``},
		"a broken list":            {object(`{"l":{"type":"array","items":{"type":"string"}}}`), `{"l":"[\"a\""}`, ``},
		"an object":                {object(`{"o":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`), `{"o":"{\"n\":\"1\"}"}`, `{"o":{"n":1}}`},
		"nested":                   {object(`{"o":{"type":"object","properties":{"p":{"type":"array","items":{"type":"object","properties":{"n":{"type":"boolean"}}}}}}}`), `{"o":{"p":[{"n":"true"},{"n":false}]}}`, `{"o":{"p":[{"n":true},{"n":false}]}}`},
		"all of it":                {object(`{"n":{"type":"integer"}}`), `"{\"n\":\"1\"}"`, `{"n":1}`},
		"null":                     {object(`{"n":{"type":["integer","null"]}}`), `{"n":"null"}`, `{"n":null}`},
		"nothing":                  {object(`{"n":{"anyOf":[{"type":"integer"},{"type":"null"}]}}`), `{"n":""}`, `{"n":null}`},
		"nothing of a text":        {object(`{"s":{"type":["string","null"]}}`), `{"s":""}`, `{"s":""}`},
		"null of a text":           {object(`{"s":{"type":["string","null"]}}`), `{"s":"null"}`, `{"s":"null"}`},
		"null, optional":           {object(`{"n":{"type":"integer"},"s":{"type":"string"}}`), `{"n":null,"s":"x"}`, `{"s":"x"}`},
		"null, required":           {`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, `{"n":null}`, ``},
		"a reference":              {`{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"integer"}}}`, `{"n":"4"}`, `{"n":4}`},
		"an alternative":           {object(`{"n":{"oneOf":[{"type":"integer"},{"type":"boolean"}]}}`), `{"n":"true"}`, `{"n":true}`},
		"either fits":              {object(`{"n":{"anyOf":[{"type":"integer"},{"type":"string"}]}}`), `{"n":"5"}`, `{"n":"5"}`},
		"two readings":             {object(`{"n":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]}}`), `{"n":"5"}`, ``},
		"the named alternative":    {object(`{"o":{"oneOf":[{"properties":{"k":{"const":"a"},"v":{"type":"integer"}}},{"properties":{"k":{"const":"b"},"v":{"type":"string"}}}]}}`), `{"o":{"k":"a","v":"5"}}`, `{"o":{"k":"a","v":5}}`},
		"the other one":            {object(`{"o":{"oneOf":[{"properties":{"k":{"const":"a"},"v":{"type":"integer"}}},{"properties":{"k":{"const":"b"},"v":{"type":"string"}}}]}}`), `{"o":{"k":"b","v":"5"}}`, `{"o":{"k":"b","v":"5"}}`},
		"a value of some":          {object(`{"e":{"enum":[1,2]}}`), `{"e":"2"}`, `{"e":2}`},
		"a text of some":           {object(`{"e":{"enum":["1","2"]}}`), `{"e":2}`, `{"e":"2"}`},
		"texts of some":            {object(`{"e":{"enum":["1","2"]}}`), `{"e":"1"}`, `{"e":"1"}`},
		"none of some":             {object(`{"e":{"enum":[1,2]}}`), `{"e":"3"}`, ``},
		"another problem":          {`{"type":"object","properties":{"n":{"type":"integer"}},"required":["m"]}`, `{"n":"3"}`, ``},
		"marks of HTML":            {object(`{"n":{"type":"integer"},"s":{"type":"string"}}`), `{"n":"3","s":"<a> & b"}`, `{"n":3,"s":"<a> & b"}`},
	} {
		s, err := Compile("t", json.RawMessage(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		switch got, err := s.Check(tt.args); {
		case tt.want == "" && err == nil:
			t.Errorf("%s: %s became %s", name, tt.args, got)
		case tt.want != "" && string(got) != tt.want:
			t.Errorf("%s: %s became %s (%v), want %s", name, tt.args, got, err, tt.want)
		}
	}
}

// TestReadingsEnd: values and schemas that leave many ways come to an end.
func TestReadingsEnd(t *testing.T) {
	t.Parallel()
	s, err := Compile("t", json.RawMessage(`{"type":"object","properties":{"l":{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(`{"l":[` + strings.Repeat(`"1",`, 2000) + `"x"]}`); err == nil {
		t.Error("it fits")
	}
	nested := `"1"`
	for range 12 {
		raw, _ := json.Marshal(nested)
		nested = string(raw)
	}
	if _, err := s.Check(`{"l":` + nested + `}`); err == nil {
		t.Error("texts within texts fit")
	}
}
