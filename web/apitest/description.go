package apitest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// object is a JSON object of the description.
type object = map[string]any

// description is an OpenAPI 3.1 document whose objects are closed: what it does
// not name is not allowed.
type description struct {
	root       object
	operations []*operation
	schemas    map[string]*jsonschema.Schema // by location
	places     sync.Map                      // place by location: what resolve has found
}

// operation is one method of one path.
type operation struct {
	name, location string // "GET /api/v1/runs/{id}", and its JSON pointer
	method         string
	path           *regexp.Regexp
	spec           object
}

var pathParameter = regexp.MustCompile(`\\\{\w+\\\}`)

func readDescription(r io.Reader) (*description, error) {
	doc, err := jsonschema.UnmarshalJSON(r)
	if err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	root, ok := doc.(object)
	if !ok {
		return nil, fmt.Errorf("the description is not an object")
	}
	d := &description{root: root, schemas: map[string]*jsonschema.Schema{}}
	d.readOperations()
	if err := errors.Join(d.closeObjects(), d.tellApart()); err != nil {
		return nil, err
	}
	return d, d.compile()
}

func (d *description) readOperations() {
	for path, methods := range child(d.root, "paths") {
		pattern := regexp.MustCompile("^" + pathParameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`) + "$")
		for method, spec := range methods.(object) {
			if !slices.Contains([]string{"get", "put", "post", "patch", "delete"}, method) {
				continue
			}
			name := strings.ToUpper(method)
			d.operations = append(d.operations, &operation{
				name: name + " " + path, location: pointer("#/paths", path, method),
				method: name, path: pattern, spec: spec.(object),
			})
		}
	}
	// A path without parameters is found before one that has some.
	slices.SortFunc(d.operations, func(a, b *operation) int {
		return strings.Count(a.name, "{") - strings.Count(b.name, "{")
	})
}

// operation finds what answers a request, nil if nothing is described.
func (d *description) operation(method, path string) *operation {
	for _, op := range d.operations {
		if op.method == method && op.path.MatchString(path) {
			return op
		}
	}
	return nil
}

// compile compiles every schema by its location.
func (d *description) compile() error {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.DefaultDraft(jsonschema.Draft2020)
	const url = "mem:///openapi.json"
	if err := compiler.AddResource(url, d.root); err != nil {
		return fmt.Errorf("description: %w", err)
	}
	var failed error
	d.eachSchema(func(location string, _ object) {
		schema, err := compiler.Compile(url + location)
		failed = errors.Join(failed, err)
		d.schemas[location] = schema
	})
	return failed
}

// media is a body that is described: of a request, or of one status.
type media struct {
	name, kind, location string // "… 200", "application/json", of the schema
	request              bool
}

// bodies lists the described bodies of an operation. Those without a schema
// have no location.
func (d *description) bodies(op *operation) []media {
	var all []media
	add := func(name, at string, request bool) {
		spec, at := d.resolve(at)
		content := child(spec, "content")
		for kind := range content {
			all = append(all, media{name, kind, pointer(at, "content", kind, "schema"), request})
		}
		if len(content) == 0 {
			all = append(all, media{name: name, request: request})
		}
	}
	if op.spec["requestBody"] != nil {
		add(op.name+" request", pointer(op.location, "requestBody"), true)
	}
	for status := range child(op.spec, "responses") {
		add(op.name+" "+status, pointer(op.location, "responses", status), false)
	}
	return all
}

// schemaLocations lists the schemas of bodies and parameters, and the components.
func (d *description) schemaLocations() []string {
	var all []string
	for _, op := range d.operations {
		for _, m := range d.bodies(op) {
			if m.location != "" {
				all = append(all, m.location)
			}
		}
		for _, p := range d.parameters(op) {
			all = append(all, p.location)
		}
	}
	for name := range child(child(d.root, "components"), "schemas") {
		all = append(all, pointer("#/components/schemas", name))
	}
	return all
}

// status finds what is described of a status, "" if nothing is.
func (op *operation) status(code int) string {
	responses := child(op.spec, "responses")
	for _, name := range []string{fmt.Sprint(code), "default"} {
		if responses[name] != nil && (name != "default" || code >= http.StatusBadRequest) {
			return name
		}
	}
	return ""
}
