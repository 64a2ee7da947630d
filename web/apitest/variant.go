package apitest

import (
	"errors"
	"fmt"
	"slices"
)

// tellApart is an error unless the alternatives of every schema with a discriminator are
// those of its mapping, and each takes its own name alone: then a value can only be the
// alternative that it names.
func (d *description) tellApart() error {
	var wrong error
	d.eachSchema(func(location string, schema object) {
		property, mapping := discriminator(schema)
		if property == "" {
			return
		}
		var alternatives []string
		for _, one := range list(schema, "oneOf") {
			alternatives = append(alternatives, fmt.Sprint(one.(object)["$ref"]))
		}
		for name, to := range mapping {
			if i := slices.Index(alternatives, fmt.Sprint(to)); i >= 0 && d.takesOnly(alternatives[i], property, name) {
				alternatives = slices.Delete(alternatives, i, i+1)
			} else {
				wrong = errors.Join(wrong, fmt.Errorf("%s: %v must be an alternative whose %s is required to be %q", location, to, property, name))
			}
		}
		if len(alternatives) > 0 {
			wrong = errors.Join(wrong, fmt.Errorf("%s: the mapping lacks %v", location, alternatives))
		}
	})
	return wrong
}

// takesOnly reports whether a schema requires a property that is a constant.
func (d *description) takesOnly(location, property, value string) bool {
	schema, at := d.resolve(location)
	if slices.Contains(list(schema, "required"), any(property)) && child(child(schema, "properties"), property)["const"] == value {
		return true
	}
	for i := range list(schema, "allOf") {
		if d.takesOnly(pointer(at, "allOf", fmt.Sprint(i)), property, value) {
			return true
		}
	}
	return false
}

// variant is the alternative that a value says it is, else the location itself. Nothing
// but this one has to be tried: the event log has dozens, and tests read it all the time.
func (d *description) variant(location string, value any) string {
	schema, _ := d.resolve(location)
	property, mapping := discriminator(schema)
	fields, _ := value.(object)
	name, _ := fields[property].(string)
	if to, ok := mapping[name].(string); ok {
		return to
	}
	return location
}

func discriminator(schema object) (property string, mapping object) {
	property, _ = child(schema, "discriminator")["propertyName"].(string)
	return property, child(child(schema, "discriminator"), "mapping")
}
