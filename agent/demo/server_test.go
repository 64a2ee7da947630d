package demo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// once posts one message, with more keys in the request.
func (c *client) once(content, keys string) said {
	c.t.Helper()
	status, _, raw := c.post("/v1/chat/completions", fmt.Appendf(nil, `{"model":"demo","messages":[{"role":"user","content":%q}]%s}`, content, keys))
	if status != http.StatusOK {
		c.t.Fatalf("status %d: %s", status, raw)
	}
	return readWhole(c.t, raw)
}

func TestModelsAreFoundByTheirName(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	for name, want := range map[string]int{"demo": http.StatusOK, "demo:kimi": http.StatusOK, "demo:nobody": http.StatusNotFound, "gpt-x": http.StatusNotFound} {
		res, err := http.Get(c.url + "/v1/models/" + name)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: status %d, want %d", name, res.StatusCode, want)
		}
	}
	if status, _, raw := c.post("/v1/chat/completions", []byte(`{"model":"gpt-x","messages":[{"role":"user","content":"hi"}]}`)); status != http.StatusNotFound ||
		!strings.Contains(string(raw), "model_not_found") {
		t.Errorf("status %d: %s", status, raw)
	}
}

// schemas are what clients bind answers and arguments to.
var schemas = []string{
	`{"type":"object","required":["a","b"],"properties":{"a":{"type":"integer","minimum":5,"maximum":7},"b":{"type":["null","string"],"minLength":3}},"additionalProperties":false}`,
	`{"type":"array","minItems":3,"uniqueItems":true,"items":{"type":"integer","minimum":-2}}`,
	`{"type":"array","maxItems":2,"items":{"enum":["x","y"]}}`,
	`{"type":"array","minItems":2,"uniqueItems":true,"items":{"enum":["x","y"]}}`,
	`{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":1.5}`,
	`{"type":"number","minimum":0.25,"maximum":0.5}`,
	`{"type":"integer","multipleOf":7,"minimum":20}`,
	`{"type":"string","pattern":"^[A-Z]{3}-[0-9]{2,4}$"}`,
	`{"type":"string","minLength":40,"maxLength":41}`,
	`{"type":"string","format":"date-time"}`,
	`{"type":"string","format":"email"}`,
	`{"const":{"k":[1,null]}}`,
	`{"anyOf":[{"type":"null"},{"const":"dog"}]}`,
	`{"allOf":[{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]},{"properties":{"b":{"type":"null"}},"required":["b"]}]}`,
	`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"next":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/node"}]}},"required":["name"]}}}`,
	`{"type":"object","properties":{"tree":{"$ref":"#/definitions/t"}},"required":["tree"],"definitions":{"t":{"type":"array","items":{"type":"object"}}}}`,
	`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false,"minItems":2}`,
	`{"type":"object"}`,
	`true`,
}

// TestMadeUpValuesFitTheirSchema: as answers, and as the arguments of a call.
func TestMadeUpValuesFitTheirSchema(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	for _, schema := range schemas {
		for _, text := range []string{"hello", "Give me 12 and -3.7 of it", "北京有 5 只猫"} {
			s := c.once(text, `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":`+schema+`}}`)
			checkFit(t, schema, s.Content)
			arguments := `{"type":"object","required":["v"],"properties":{"v":` + strings.ReplaceAll(schema, "#/", "#/properties/v/") + `}}`
			s = c.once(text, `,"tool_choice":"required","tools":[{"type":"function","function":{"name":"store","parameters":`+arguments+`}}]`)
			if len(s.Calls) != 1 || s.Calls[0].Function.Name != "store" {
				t.Fatalf("calls %v", made(s))
			}
			checkFit(t, arguments, s.Calls[0].Function.Arguments)
		}
	}
}

// TestSchemasWithoutEndAreAnswered: whatever a schema asks for, the answer comes, and is JSON.
func TestSchemasWithoutEndAreAnswered(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	var required, properties []string
	for i := range 200 {
		required = append(required, fmt.Sprintf(`"p%d"`, i))
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#"}`, i))
	}
	for _, schema := range []string{
		`{"type":"object","required":[` + strings.Join(required, ",") + `],"properties":{` + strings.Join(properties, ",") + `}}`,
		`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"type":"string","maxLength":-1}`, `{"type":"array","minItems":1000000000}`, `{"type":"string","pattern":"("}`, `7`,
	} {
		s := c.once("hello", `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":`+schema+`}}`)
		if !json.Valid([]byte(s.Content)) || len(s.Content) > 1<<20 {
			t.Errorf("%.80s: %.80s", schema, s.Content)
		}
	}
}

func checkFit(t *testing.T, schema, value string) {
	t.Helper()
	s, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("mem:///x", s); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("mem:///x")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err == nil {
		err = compiled.Validate(v)
	}
	if err != nil {
		t.Errorf("%s: %s: %v", schema, value, err)
	}
}

func TestChoiceOfTools(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	tools := `,"tools":[{"type":"function","function":{"name":"getForecast","parameters":{"type":"object","properties":{"place":{"type":"string"},"days":{"type":"integer"}},"required":["place","days"]}}},
		{"type":"function","function":{"name":"web_search","parameters":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}}}]`
	for _, row := range []struct {
		content, keys string
		want          []string
	}{
		{"weather in Paris", "", []string{`getForecast{"days":1,"place":"Paris"}`}},
		{"weather in Paris", `,"tool_choice":"none"`, nil},
		{"hello", `,"tool_choice":"auto"`, nil},
		{"search the news", `,"tool_choice":"required"`, []string{`web_search{"query":"search the news"}`}},
		{"weather in Paris", `,"tool_choice":{"type":"function","function":{"name":"web_search"}}`, []string{`web_search{"query":"weather in Paris"}`}},
		{"weather in Paris and Rome", `,"parallel_tool_calls":false`, []string{`getForecast{"days":1,"place":"Paris"}`}},
	} {
		if diff := cmp.Diff(row.want, made(c.once(row.content, tools+row.keys))); diff != "" {
			t.Errorf("%s%s (-want +got):\n%s", row.content, row.keys, diff)
		}
	}
	for _, keys := range []string{tools + `,"tool_choice":"sometimes"`, tools + `,"tool_choice":{"type":"function","function":{"name":"nothing"}}`, `,"tool_choice":"required"`, `,"n":0`, `,"n":99`, `,"stop":7`} {
		if status, _, raw := c.post("/v1/chat/completions", []byte(`{"model":"demo","messages":[{"role":"user","content":"hi"}]`+keys+`}`)); status != http.StatusBadRequest {
			t.Errorf("%s: status %d: %s", keys, status, raw)
		}
	}
}

func TestSeveralAnswersAndStops(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	_, _, raw := c.post("/v1/chat/completions", []byte(`{"model":"demo","n":3,"stop":["rules","network"],"messages":[{"role":"user","content":"who are you?"}]}`))
	var e struct {
		Choices []struct {
			Index   int
			Message struct{ Content string }
			Finish  string `json:"finish_reason"`
		}
	}
	if err := json.Unmarshal(raw, &e); err != nil || len(e.Choices) != 3 {
		t.Fatalf("%v: %s", err, raw)
	}
	for i, choice := range e.Choices {
		if choice.Index != i || !strings.HasSuffix(choice.Message.Content, "I follow simple ") || choice.Finish != "stop" {
			t.Errorf("choice %d: %+v", i, choice)
		}
	}
	if s := c.once("what is 12345*6789?", `,"max_tokens":5,"tools":[{"type":"function","function":{"name":"calculator"}}]`); s.Finish != "length" || json.Valid([]byte(s.Calls[0].Function.Arguments)) {
		t.Errorf("a call beyond the limit: %+v", s)
	}
}

// TestOthersResultsAreRead: from tools that are not Fusebox's own.
func TestOthersResultsAreRead(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools = []string{"get_current_weather", "calculate"}
		for result, want := range map[string]string{
			`{"temperature":22,"unit":"celsius","description":"Sunny"}`: "It is 22 °C and sunny in Beijing.",
			`{"location":"Peking","current":{"temp_f":50}}`:             "It is 10 °C in Peking.",
			`{"city":"Beijing","temp":"-3°C","conditions":"Snow"}`:      "It is -3 °C with snow in Beijing.",
			"Sunny, 18 degrees":   "It is 18 °C in Beijing.",
			"no such city":        "I could not get the weather for Beijing: no such city",
			`{"error":"timeout"}`: `could not get the weather for Beijing: {"error":"timeout"}`,
		} {
			wantText(t, c.results(c.ask("weather in Beijing"), result), want)
		}
		for result, want := range map[string]string{
			"42": "6*7 = 42.", `{"value":42}`: "6*7 = 42.", `"42"`: "6*7 = 42.", `{"answer":"42"}`: "6*7 = 42.", "out of order": "could not calculate 6*7: out of order",
		} {
			wantText(t, c.results(c.ask("what is 6*7?"), result), want)
		}
	})
}
