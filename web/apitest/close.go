package apitest

import (
	"errors"
	"fmt"
)

// closeObjects makes every object of the description refuse what it does not
// name, unless it says itself what else it may have. The served description
// stays open, so that clients bear with fields that are added later. An object
// that says neither what it has nor what else it may have is an error.
func (d *description) closeObjects() error {
	var vague error
	bases := d.bases()
	d.eachSchema(func(location string, schema object) {
		switch {
		case schema["additionalProperties"] != nil || bases[location]:
		case schema["properties"] != nil || schema["allOf"] != nil:
			schema["unevaluatedProperties"] = false
		case schema["type"] == "object":
			vague = errors.Join(vague, fmt.Errorf("%s: name its properties, or say additionalProperties: true", location))
		}
	})
	return vague
}

// bases are the schemas that others are put together from by allOf: those are
// closed as a whole.
func (d *description) bases() map[string]bool {
	found := map[string]bool{}
	d.eachSchema(func(location string, schema object) {
		for i := range list(schema, "allOf") {
			part := pointer(location, "allOf", fmt.Sprint(i))
			_, at := d.resolve(part)
			found[part], found[at] = true, true
		}
	})
	return found
}

// eachSchema visits every schema of the description once, with its location.
func (d *description) eachSchema(visit func(location string, schema object)) {
	d.eachWithin(d.schemaLocations(), visit)
}

// eachWithin visits the schemas at these locations, and all within them, once.
func (d *description) eachWithin(locations []string, visit func(location string, schema object)) {
	seen := map[string]bool{}
	var walk func(location string)
	walk = func(location string) {
		schema, at := d.resolve(location)
		if schema == nil || seen[at] {
			return
		}
		seen[at] = true
		visit(at, schema)
		for _, below := range d.below(schema, at) {
			walk(below)
		}
	}
	for _, location := range locations {
		walk(location)
	}
}

// below lists the locations of the schemas directly within a schema.
func (d *description) below(schema object, at string) []string {
	var all []string
	for name := range child(schema, "properties") {
		all = append(all, pointer(at, "properties", name))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if child(schema, key) != nil {
			all = append(all, pointer(at, key))
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		for i := range list(schema, key) {
			all = append(all, pointer(at, key, fmt.Sprint(i)))
		}
	}
	return all
}
