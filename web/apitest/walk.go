package apitest

import "fmt"

// walk marks the described properties that a valid value has.
func (c *Checker) walk(direction, location string, value any) {
	schema, at := c.doc.resolve(c.doc.variant(location, value))
	switch value := value.(type) {
	case object:
		c.walkObject(direction, schema, at, value)
	case []any:
		for _, item := range value {
			if schema["items"] != nil {
				c.walk(direction, pointer(at, "items"), item)
			}
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		for i := range list(schema, key) {
			if part := pointer(at, key, fmt.Sprint(i)); key == "allOf" || c.doc.fits(part, value) {
				c.walk(direction, part, value)
			}
		}
	}
}

func (c *Checker) walkObject(direction string, schema object, at string, value object) {
	named := child(schema, "properties")
	for name, v := range value {
		switch {
		case named[name] != nil:
			c.mark(direction + " " + nameOf(pointer(at, "properties", name)))
			c.walk(direction, pointer(at, "properties", name), v)
		case child(schema, "additionalProperties") != nil:
			c.walk(direction, pointer(at, "additionalProperties"), v)
		}
	}
}

// fits reports whether a value is of one alternative.
func (d *description) fits(location string, value any) bool {
	_, at := d.resolve(location)
	return d.schemas[at].Validate(value) == nil
}
