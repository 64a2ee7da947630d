package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"fusebox/agent"
)

// plan is how a call of an operation becomes a request. It is part of what an admin accepts.
type plan struct {
	Method string  `json:"method"`
	Path   string  `json:"path"`
	Params []param `json:"params,omitempty"`
	Body   bool    `json:"body,omitempty"`
}

// param is where an argument goes.
type param struct {
	Arg     string `json:"arg"`
	Name    string `json:"name"`
	In      string `json:"in"`
	Explode bool   `json:"explode,omitempty"`
}

// bodyArg is the argument that is sent as the request's body.
const bodyArg = "body"

// maxSchema and maxText bound the schema and the text of one operation.
const (
	maxSchema = 64 << 10
	maxText   = 16 << 10
)

// methods are those that can be called.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// offered is what a document has: what can be called, and what cannot, and why.
type offered struct {
	tools   []agent.KnownTool
	leftOut []agent.LeftOut
}

// operations are all operations of a document, in the order of their paths.
func operations(doc *openapi3.T, source string) offered {
	var found offered
	w := &schemas{doc: doc, old: doc.IsOpenAPI30(), named: map[string]any{}, why: map[string]string{}}
	taken := map[string]bool{}
	paths := doc.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		all := paths[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(all)) {
			o := operation{schemas: w, path: path, method: method, item: paths[path], Operation: all[method]}
			tool, why := o.tool()
			tool.Name = o.name(taken)
			taken[tool.Name] = true
			if why != "" {
				found.leftOut = append(found.leftOut, agent.LeftOut{Operation: tool.Name, Why: why})
				continue
			}
			tool.Source = source
			found.tools = append(found.tools, tool)
		}
	}
	return found
}

type operation struct {
	*openapi3.Operation
	schemas      *schemas
	item         *openapi3.PathItem
	method, path string
}

// name is the operation's id, or made of its method and path.
func (o operation) name(taken map[string]bool) string {
	if o.OperationID != "" {
		return o.OperationID
	}
	words := strings.FieldsFunc(o.path, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	name := strings.Join(append([]string{strings.ToLower(o.method)}, words...), "_")
	if taken[name] {
		sum := sha256.Sum256([]byte(o.method + " " + o.path))
		name += "_" + hex.EncodeToString(sum[:4])
	}
	return name
}

// tool is the operation as a tool without a name; why says what keeps it from being one.
func (o operation) tool() (t agent.KnownTool, why string) {
	if !slices.Contains(methods, o.method) {
		return t, "requests with the method " + o.method + " cannot be sent"
	}
	p := plan{Method: o.method, Path: o.path}
	args := &arguments{properties: map[string]any{}}
	if why = o.addParams(&p, args); why != "" {
		return t, why
	}
	if why = o.addBody(&p, args); why != "" {
		return t, why
	}
	schema, why := args.schema(o.schemas)
	if why != "" {
		return t, why
	}
	t.Parameters, t.Claims, t.Description = schema, agent.MustJSON(p), o.text()
	if len(t.Description) > maxText {
		return t, fmt.Sprintf("its description is longer than %d KB", maxText>>10)
	}
	return t, ""
}

// text is what the model reads.
func (o operation) text() string {
	parts := []string{}
	for _, part := range []string{o.Summary, o.Description} {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		parts = []string{o.method + " " + o.path}
	}
	if o.Deprecated {
		parts = append(parts, "It is deprecated.")
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n\n"), "\uFFFD")
}

// addBody adds the request's body, which can be JSON only.
func (o operation) addBody(p *plan, args *arguments) (why string) {
	if o.RequestBody == nil || o.RequestBody.Value == nil {
		return ""
	}
	body := o.RequestBody.Value
	content, ok := jsonContent(body.Content)
	if !ok {
		kinds := slices.Sorted(maps.Keys(body.Content))
		return "its body is " + agent.Clip(strings.Join(kinds, ", "), 120) + "; only application/json can be sent"
	}
	p.Body = true
	schema, why := o.schemas.convert(content.Schema)
	args.add(bodyArg, schema, body.Description, body.Required)
	return why
}

// jsonContent finds the JSON among the kinds of content that an operation takes.
func jsonContent(all openapi3.Content) (*openapi3.MediaType, bool) {
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		name, _, _ := strings.Cut(kind, ";")
		if strings.EqualFold(strings.TrimSpace(name), "application/json") && all[kind] != nil {
			return all[kind], true
		}
	}
	return nil, false
}
