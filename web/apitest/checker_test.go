package apitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const toy = `{"openapi":"3.1.0","paths":{
  "/api/things/{id}":{"get":{
    "parameters":[{"name":"limit","in":"query","schema":{"type":"integer"}}],
    "responses":{
      "200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}},
      "204":{"description":"Nothing."}}}},
  "/api/things":{"post":{
    "requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Base"}}}},
    "responses":{"200":{"content":{"application/x-ndjson":{"schema":{"$ref":"#/components/schemas/Line"}}}}}}}},
 "components":{"schemas":{
  "Base":{"type":"object","properties":{"name":{"type":"string"}}},
  "Head":{"type":"object","required":["seq"],"properties":{"seq":{"type":"integer"}}},
  "Line":{"oneOf":[
    {"allOf":[{"$ref":"#/components/schemas/Head"},{"type":"object","required":["a"],"properties":{"a":{"const":1}}}]},
    {"allOf":[{"$ref":"#/components/schemas/Head"},{"type":"object","required":["b"],"properties":{"b":{"const":2}}}]}]},
  "Thing":{"type":"object","required":["id"],"properties":{
    "id":{"type":"string"},
    "parts":{"type":"array","items":{"type":"object","properties":{"size":{"type":"integer"}}}},
    "tags":{"type":"object","additionalProperties":{"type":"string"}}}}}}}`

// serve answers every request with this, and the description with the toy.
func serve(t *testing.T, status int, kind, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == descriptionPath {
			_, _ = io.WriteString(w, toy)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// ask makes a request, reads its answer to the end and returns what was wrong.
func ask(t *testing.T, c *Checker, method, url, body string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Client().Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.ReadAll(res.Body)
	return err
}

func TestChecker(t *testing.T) {
	t.Parallel()
	const json, lines = "application/json", "application/x-ndjson"
	for _, tc := range []struct {
		name, method, path, sent string
		status                   int
		kind, body               string
		wrong                    string // a part of the error, "" for none
	}{
		{"as described", "GET", "/api/things/7?limit=3", "", 200, json, `{"id":"x","parts":[{"size":1}],"tags":{"any":"one"}}`, ""},
		{"a page is nobody's business", "GET", "/things", "", 200, "text/html", `<p>`, ""},
		{"refused at an unknown address", "GET", "/api/nothing", "", 404, json, `{}`, ""},
		{"an unknown address", "GET", "/api/nothing", "", 200, json, `{}`, "is not described"},
		{"an unknown field", "GET", "/api/things/7", "", 200, json, `{"id":"x","new":1}`, "/new"},
		{"an unknown field within", "GET", "/api/things/7", "", 200, json, `{"id":"x","parts":[{"weight":1}]}`, "/parts/0/weight"},
		{"a missing field", "GET", "/api/things/7", "", 200, json, `{}`, "id"},
		{"another type", "GET", "/api/things/7", "", 200, json, `{"id":7}`, "/id"},
		{"an unknown status", "GET", "/api/things/7", "", 201, json, `{"id":"x"}`, "status 201"},
		{"an unknown media type", "GET", "/api/things/7", "", 200, "text/csv", `id`, `type "text/csv"`},
		{"an unknown parameter", "GET", "/api/things/7?offset=3", "", 200, json, `{"id":"x"}`, `"offset"`},
		{"a parameter of another type", "GET", "/api/things/7?limit=x", "", 200, json, `{"id":"x"}`, "limit=x"},
		{"lines", "POST", "/api/things", `{"name":"x"}`, 200, lines, "{\"seq\":1,\"a\":1}\n{\"seq\":2,\"b\":2}\n", ""},
		{"an unknown field of a line", "POST", "/api/things", `{}`, 200, lines, "{\"seq\":1,\"a\":1}\n{\"seq\":2,\"b\":2,\"c\":3}\n", "not as described"},
		{"an unknown field that is accepted", "POST", "/api/things", `{"new":1}`, 200, lines, "", "/new"},
		{"no body", "POST", "/api/things", "", 200, lines, "", "required"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := ask(t, &Checker{}, tc.method, serve(t, tc.status, tc.kind, tc.body)+tc.path, tc.sent)
			if text := fmt.Sprint(err); (tc.wrong == "") != (err == nil) || !strings.Contains(text, tc.wrong) && err != nil {
				t.Errorf("%v, want %q", err, tc.wrong)
			}
		})
	}
}

// TestWhatIsLeftUnsent: what was sent is known by the names of the description.
func TestWhatIsLeftUnsent(t *testing.T) {
	t.Parallel()
	c := &Checker{}
	if err := ask(t, c, "GET", serve(t, 200, "application/json", `{"id":"x","parts":[{}]}`)+"/api/things/7", ""); err != nil {
		t.Fatal(err)
	}
	left := slices.DeleteFunc(c.doc.described(), func(name string) bool { return c.seen[name] })
	wanted := []string{
		"GET /api/things/{id} 204", "GET /api/things/{id} ?limit", "POST /api/things 200 application/x-ndjson",
		"request Base.name", "response Head.seq", "response Line.a", "response Line.b", "response Thing.parts[].size", "response Thing.tags",
	}
	if diff := cmp.Diff(wanted, left); diff != "" {
		t.Error(diff)
	}
}

// TestObjectsAreDecided: an object without properties must say what it may have.
func TestObjectsAreDecided(t *testing.T) {
	t.Parallel()
	_, err := readDescription(strings.NewReader(`{"paths":{},"components":{"schemas":{"X":{"type":"object"}}}}`))
	if err == nil || !strings.Contains(err.Error(), "schemas/X: name its properties") {
		t.Error(err)
	}
}

// TestAlternativesAreToldApart: with a discriminator, a value is held against the one
// alternative that it names, so each must take its own name alone.
func TestAlternativesAreToldApart(t *testing.T) {
	t.Parallel()
	const (
		a      = `"A":{"type":"object","required":["type"],"properties":{"type":{"const":"a"},"size":{"type":"integer"}}}`
		b      = `"B":{"allOf":[{"type":"object","required":["type"],"properties":{"type":{"const":"b"}}}]}`
		either = `{"oneOf":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/B"}],"discriminator":{"propertyName":"type","mapping":{%s}}}`
		toA    = `"a":"#/components/schemas/A"`
		toB    = `"b":"#/components/schemas/B"`
	)
	described := func(mapping, schemas string) (*description, error) {
		return readDescription(strings.NewReader(`{"paths":{},"components":{"schemas":{"X":` + fmt.Sprintf(either, mapping) + `,` + schemas + `}}}`))
	}
	doc, err := described(toA+","+toB, a+","+b)
	if err != nil {
		t.Fatal(err)
	}
	c := &Checker{doc: doc}
	for value, wrong := range map[string]bool{
		`{"type":"a","size":1}`: false, `{"type":"b"}`: false, `{"type":"b","size":1}`: true, `{"type":"a","size":"x"}`: true, `{"type":"c"}`: true, `{}`: true, `[]`: true,
	} {
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.checkValue(media{location: "#/components/schemas/X"}, parsed); (err != nil) != wrong {
			t.Errorf("%s: %v", value, err)
		}
	}
	for what, bad := range map[string][2]string{
		"a name that is not required":   {toA + "," + toB, strings.Replace(a, `"required":["type"],`, "", 1) + "," + b},
		"a name that is not a constant": {toA + "," + toB, strings.Replace(a, `"const":"a"`, `"type":"string"`, 1) + "," + b},
		"a name of another":             {toA + "," + strings.Replace(toB, `"b"`, `"c"`, 1), a + "," + b},
		"an alternative without a name": {toA, a + "," + b},
		"a name without an alternative": {toA + "," + toB + `,"d":"#/components/schemas/D"`, a + "," + b + "," + strings.NewReplacer(`"A"`, `"D"`, `"a"`, `"d"`).Replace(a)},
	} {
		if _, err := described(bad[0], bad[1]); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
}

// TestListOfUnsent: the list itself is well formed, and each line has a reason.
func TestListOfUnsent(t *testing.T) {
	t.Parallel()
	if _, err := readUnsent(unsentList); err != nil {
		t.Error(err)
	}
	if _, err := readUnsent("response Thing.id | -"); err == nil {
		t.Error("a line without a reason is taken")
	}
}
