package openapi

import (
	"net/url"
	"slices"
	"strings"

	"fusebox/agent"
)

// fill puts values in their places in the path of an operation, such as /tickets/{id}. None of them
// leaves its place, whoever decodes the path on its way.
func fill(template string, values map[string]string) (string, error) {
	var path strings.Builder
	for rest := template; rest != ""; {
		literal, after, some := strings.Cut(rest, "{")
		path.WriteString((&url.URL{Path: literal}).EscapedPath())
		if !some {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		value, known := values[name]
		if !closed || !known || value == "" {
			return "", agent.InvalidField(name, "is empty; a part of the path must have a value")
		}
		if climbs(value) {
			return "", agent.InvalidField(name, "is not allowed in a path; allowed: values without the parts . and .. and without control characters")
		}
		path.WriteString(url.PathEscape(value))
		rest = next
	}
	if filled := path.String(); climbs(filled) {
		return "", agent.Errorf(agent.Invalid, "These arguments lead to another path than that of the operation.")
	}
	return path.String(), nil
}

// climbs reports whether a value, decoded once more or not, has a part that leads upwards.
func climbs(value string) bool {
	for range 3 {
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return true
		}
		parts := strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' || r == ';' })
		if slices.ContainsFunc(parts, func(part string) bool { return part == "." || part == ".." }) {
			return true
		}
		decoded, err := url.PathUnescape(value)
		if err != nil || decoded == value {
			return false
		}
		value = decoded
	}
	return false
}
