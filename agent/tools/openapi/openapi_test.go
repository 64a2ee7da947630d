package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/tools/accepted"
)

// whole is a document of some paths and schemas.
func whole(version, paths, schemas string) string {
	return fmt.Sprintf(`{"openapi":%q,"info":{"title":"Desk","version":"1"},"paths":{%s},"components":{"schemas":{%s}}}`, version, paths, schemas)
}

// post is an operation that takes a body.
func post(path, id, schema string) string {
	return fmt.Sprintf(`%q:{"post":{"operationId":%q,"requestBody":{"content":{"application/json":{"schema":%s}}},"responses":{"200":{"description":"x"}}}}`, path, id, schema)
}

func found(t *testing.T, text string) offered {
	t.Helper()
	doc, err := read(t.Context(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return operations(doc, "openapi:desk")
}

// TestDocumentsThatAreRefused: each refusal names the place, and what to do.
func TestDocumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	ok := `{"responses":{"200":{"description":"x"}}}`
	named := `{"operationId":"twice","responses":{"200":{"description":"x"}}}`
	var many []string
	for i := range maxOperations + 1 {
		many = append(many, fmt.Sprintf(`"/p%d":{"get":%s}`, i, ok))
	}
	for name, tc := range map[string]struct{ text, says string }{
		"nothing":             {"  ", "is empty"},
		"broken JSON":         {"{\n\"openapi\": }", "line 2"},
		"broken YAML":         {"openapi: [", "neither JSON nor YAML"},
		"Swagger 2":           {`{"swagger":"2.0","info":{"title":"x","version":"1"},"paths":{}}`, "convert a Swagger 2.0"},
		"another version":     {whole("4.0.0", "", ""), "allowed: 3.0 or 3.1"},
		"double ids":          {whole("3.0.3", `"/a":{"get":`+named+`},"/b":{"get":`+named+`}`, ""), `"twice"`},
		"an unknown type":     {whole("3.0.3", "", `"Ticket":{"type":"strung"}`), `"Ticket"`},
		"a parameter without": {whole("3.0.3", `"/a/{id}":{"get":`+ok+`}`, ""), "/a/{id}"},
		"an address":          {whole("3.0.3", post("/a", "a", `{"$ref":"http://127.0.0.1:1/x.json"}`), ""), "each $ref begins with #/"},
		"a file":              {whole("3.0.3", post("/a", "a", `{"$ref":"/etc/passwd"}`), ""), "each $ref begins with #/"},
		"refs in a ring":      {whole("3.0.3", "", `"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"}`), `"A"`},
		"many operations":     {whole("3.0.3", strings.Join(many, ","), ""), "has 501 operations; at most 500"},
		"much":                {whole("3.0.3", "", "") + strings.Repeat(" ", agent.MaxOpenAPIDocument), "more than 4 MB"},
		"many values":         {`{"a":[` + strings.Repeat("1,", maxNodes) + `1]}`, "more than 400000 values"},
		"a deep one":          {strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), "nested more than 100"},
		"a deep YAML":         {"a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "nested more than 100"},
		"a bomb of aliases":   {"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "alias *a in line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(t.Context(), []byte(tc.text))
			if says := agent.FieldErrors(err)["file"]; agent.CodeOf(err) != agent.Invalid || !strings.Contains(says, tc.says) {
				t.Errorf("it says %q (%v)", says, err)
			}
		})
	}
}

// TestSchemasBecomeJSONSchema: what OpenAPI 3.0 says in words of its own means the same for
// the validator, and what refers to itself stays finite.
func TestSchemasBecomeJSONSchema(t *testing.T) {
	t.Parallel()
	schemas := `"Node":{"type":"object","required":["id","name"],"properties":{
		"id":{"type":"integer","readOnly":true},"name":{"type":"string","nullable":true,"enum":["a"]},
		"size":{"type":"number","minimum":0,"exclusiveMinimum":true},
		"example":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/components/schemas/Node"}}}}`
	got := found(t, whole("3.0.3", post("/a", "make", `{"$ref":"#/components/schemas/Node"}`), schemas))
	want := `{"$defs":{"Node":{"properties":{"children":{"items":{"$ref":"#/$defs/Node"},"type":"array"},"example":{"type":"string"},` +
		`"name":{"enum":["a",null],"type":["string","null"]},"size":{"exclusiveMinimum":0,"type":"number"}},"required":["name"],"type":"object"}},` +
		`"additionalProperties":false,"properties":{"body":{"$ref":"#/$defs/Node"}},"type":"object"}`
	if len(got.tools) != 1 || string(got.tools[0].Parameters) != want {
		t.Errorf("got %s\nwant %s", got.tools[0].Parameters, want)
	}
	modern := found(t, whole("3.1.0", post("/a", "make", `{"type":["object","null"],"properties":{"kind":{"const":"a"},"pair":{"type":"array","prefixItems":[{"type":"string"}]}}}`), ""))
	if text := string(modern.tools[0].Parameters); !strings.Contains(text, `"const":"a"`) || !strings.Contains(text, `"prefixItems":[{"type":"string"}]`) || !strings.Contains(text, `["object","null"]`) {
		t.Errorf("3.1 becomes %s", text)
	}
}

// TestOperationsLeftOut: an operation that cannot be called is left out with the reason, and
// the others stay.
func TestOperationsLeftOut(t *testing.T) {
	t.Parallel()
	op := func(params string) string {
		return `{"parameters":[` + params + `],"responses":{"200":{"description":"x"}}}`
	}
	paths := strings.Join([]string{
		`"/plain":{"get":` + op(`{"name":"q","in":"query","style":"deepObject","schema":{"type":"object"}}`) + `,"options":` + op("") + `}`,
		`"/deep":{"get":` + op(`{"name":"f","in":"query","required":true,"style":"deepObject","schema":{"type":"object"}}`) + `}`,
		`"/cookie":{"get":` + op(`{"name":"c","in":"cookie","required":true,"schema":{"type":"string"}}`) + `}`,
		`"/form":{"post":{"requestBody":{"content":{"multipart/form-data":{"schema":{"type":"object"}}}},"responses":{"200":{"description":"x"}}}}`,
		post("/big", "big", `{"type":"string","description":"`+strings.Repeat("x", maxSchema)+`"}`),
		`"/a-b":{"get":` + op("") + `},"/a/b":{"get":` + op("") + `}`,
	}, ",")
	got := found(t, whole("3.0.3", paths, ""))
	why := map[string]string{}
	for _, o := range got.leftOut {
		why[o.Operation] = o.Why
	}
	for name, says := range map[string]string{
		"options_plain": "method OPTIONS", "get_deep": "style deepObject", "get_cookie": "is a cookie", "post_form": "multipart/form-data", "big": "longer than 64 KB",
	} {
		if !strings.Contains(why[name], says) {
			t.Errorf("%s: %q", name, why[name])
		}
	}
	var names []string
	for _, tool := range got.tools {
		names = append(names, tool.Name)
	}
	if len(names) != 3 || names[0] != "get_a_b" || !strings.HasPrefix(names[1], "get_a_b_") || names[2] != "get_plain" {
		t.Errorf("offered are %q", names)
	}
}

// TestRequests: arguments stay in their places.
func TestRequests(t *testing.T) {
	t.Parallel()
	p := plan{Method: "POST", Path: "/tickets/{id}/notes", Body: true, Params: []param{
		{Arg: "id", Name: "id", In: "path"}, {Arg: "tag", Name: "tag", In: "query", Explode: true}, {Arg: "ids", Name: "i&d", In: "query"},
		{Arg: "X-Trace", Name: "X-Trace", In: "header"},
	}}
	for args, want := range map[string]string{
		`{"id":"a b/c?d#e"}`:                        "POST http://desk/api/tickets/a%20b%2Fc%3Fd%23e/notes",
		`{"id":7,"tag":["x&y=1","z"],"ids":[1,2]}`:  "POST http://desk/api/tickets/7/notes?tag=x%26y%3D1&tag=z&i%26d=1,2",
		`{"id":"7","X-Trace":"t","body":{"a":[1]}}`: "POST http://desk/api/tickets/7/notes\nX-Trace: t\n\n{\n  \"a\": [\n    1\n  ]\n}",
		`{"id":true,"tag":null}`:                    "POST http://desk/api/tickets/true/notes",
		`{"id":12345678901234567890,"tag":"工具 1"}`:  "POST http://desk/api/tickets/12345678901234567890/notes?tag=%E5%B7%A5%E5%85%B7+1",
	} {
		r, err := p.request("http://desk/api", json.RawMessage(args))
		if err != nil || r.text() != want {
			t.Errorf("%s: %q, %v; want %q", args, r.text(), err, want)
		}
	}
	for _, args := range []string{
		`{}`, `{"id":""}`, `{"id":".."}`, `{"id":"."}`, `{"id":"a/../../admin"}`, `{"id":"..\\admin"}`, `{"id":"%2e%2e"}`, `{"id":"%252e%252e/x"}`, `{"id":"..;x"}`,
		`{"id":"a\u0000"}`, `{"id":"a\nb"}`, `{"id":{"a":1}}`, `{"id":"1","X-Trace":"a\r\nHost: evil"}`, `{"id":"1","tag":[["a"]]}`,
	} {
		if r, err := p.request("http://desk/api", json.RawMessage(args)); err == nil {
			t.Errorf("%s becomes %q", args, r.text())
		}
	}
	halves := plan{Method: "GET", Path: "/x/{a}{b}", Params: []param{{Arg: "a", Name: "a", In: "path"}, {Arg: "b", Name: "b", In: "path"}}}
	if r, err := halves.request("http://desk", json.RawMessage(`{"a":".","b":"."}`)); agent.CodeOf(err) != agent.Invalid {
		t.Errorf("two halves of .. become %q, %v", r.text(), err)
	}
}

// TestJudging: methods say what an operation does, an admin says otherwise.
func TestJudging(t *testing.T) {
	t.Parallel()
	write := Source{Effect: agent.EffectWrite, Tools: map[string]accepted.Judged{"search": {Effect: agent.EffectRead}, "secrets": {Risk: agent.RiskCritical}, "drop": {Effect: agent.EffectWrite, Risk: agent.RiskMedium}}}
	for _, tc := range []struct {
		source       Source
		name, method string
		effect       agent.Effect
		risk         agent.Risk
	}{
		{Source{Effect: agent.EffectUnknown}, "x", "GET", agent.EffectRead, agent.RiskLow},
		{Source{Effect: agent.EffectUnknown}, "x", "POST", agent.EffectUnknown, agent.RiskHigh},
		{Source{Effect: agent.EffectUnknown}, "x", "DELETE", agent.EffectUnknown, agent.RiskHigh},
		{write, "x", "POST", agent.EffectWrite, agent.RiskMedium},
		{write, "x", "DELETE", agent.EffectWrite, agent.RiskHigh},
		{write, "drop", "DELETE", agent.EffectWrite, agent.RiskMedium},
		{write, "search", "POST", agent.EffectRead, agent.RiskLow},
		{write, "secrets", "GET", agent.EffectRead, agent.RiskCritical},
	} {
		if effect, risk := tc.source.judge(tc.name, tc.method); effect != tc.effect || risk != tc.risk {
			t.Errorf("%s %s is %s, %s", tc.method, tc.name, effect, risk)
		}
	}
}
