package apitest

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// parameter is a query parameter that is described.
type parameter struct{ name, location string } // location is its schema's

// parameters lists the query parameters of an operation.
func (d *description) parameters(op *operation) []parameter {
	var all []parameter
	for i := range list(op.spec, "parameters") {
		spec, at := d.resolve(pointer(op.location, "parameters", fmt.Sprint(i)))
		if spec["in"] == "query" {
			all = append(all, parameter{spec["name"].(string), pointer(at, "schema")})
		}
	}
	return all
}

// checkQuery checks the query of a request that was accepted.
func (c *Checker) checkQuery(op *operation, query url.Values) error {
	known := map[string]parameter{}
	for _, p := range c.doc.parameters(op) {
		known[p.name] = p
	}
	for name, values := range query {
		p, ok := known[name]
		if !ok {
			return fmt.Errorf("accepted the parameter %q, which is not described", name)
		}
		if err := c.checkParameter(p, values); err != nil {
			return fmt.Errorf("accepted %s=%s, which is not as described: %w", name, values[0], err)
		}
		c.mark(op.name + " ?" + name)
	}
	return nil
}

// checkParameter reads a text as the number or boolean that it is described as, and all of them
// where that is a list. The server takes an empty parameter for a missing one.
func (c *Checker) checkParameter(p parameter, texts []string) error {
	text := texts[0]
	if text == "" {
		return nil
	}
	schema, at := c.doc.resolve(p.location)
	switch schema["type"] {
	case "string":
		return c.doc.schemas[at].Validate(text)
	case "array":
		all := []any{}
		for _, text := range texts {
			all = append(all, text)
		}
		return c.doc.schemas[at].Validate(all)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return c.doc.schemas[at].Validate(value)
}
