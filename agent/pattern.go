package agent

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Pattern names calls by their arguments: for each named field a glob that its
// value has to fit. Fields inside objects are named with dots (target.path).
// A field that is not named may have any value; nil fits every call.
type Pattern map[string]string

// Matches reports whether arguments fit. Only texts, numbers and booleans fit a
// glob; a named field that is missing does not.
func (p Pattern) Matches(args json.RawMessage) bool {
	if len(p) == 0 {
		return true
	}
	var fields map[string]any
	if json.Unmarshal(args, &fields) != nil {
		return false
	}
	for name, glob := range p {
		value, ok := valueAt(fields, name)
		if !ok || !Glob(glob, value) {
			return false
		}
	}
	return true
}

// valueAt is the text of a field, found by its dotted name.
func valueAt(fields map[string]any, name string) (string, bool) {
	v, ok := fields[name]
	if !ok {
		head, rest, nested := strings.Cut(name, ".")
		inner, isObject := fields[head].(map[string]any)
		if !nested || !isObject {
			return "", false
		}
		return valueAt(inner, rest)
	}
	switch v := v.(type) {
	case string:
		return v, true
	case float64, bool:
		text, err := json.Marshal(v)
		return string(text), err == nil
	default:
		return "", false
	}
}

// control are the characters that make one command line into two, or a word
// into something else.
const control = ";&|<>$`(){}\\\"'\n\r\x00"

// Glob reports whether value fits a glob. * stands for any text without the
// characters that shells and line breaks give a meaning, so that "go test *"
// does not let "go test; rm -rf ." pass; ** stands for any text at all. Nothing
// that a single * stands for has a path segment "..". All else is literal.
func Glob(glob, value string) bool {
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	for rest := glob; rest != ""; {
		before, after, found := strings.Cut(rest, "*")
		re.WriteString(regexp.QuoteMeta(before))
		if !found {
			break
		}
		if strings.HasPrefix(after, "*") {
			re.WriteString(`.*`)
			rest = after[1:]
			continue
		}
		re.WriteString(`([^` + regexp.QuoteMeta(control) + `]*)`)
		rest = after
	}
	re.WriteString(`\z`)
	compiled, err := regexp.Compile(re.String())
	if err != nil {
		return false
	}
	m := compiled.FindStringSubmatch(value)
	return m != nil && !climbs(glob, value)
}

// climbs reports whether a path in value leaves the folder it is in where the
// glob itself says nothing of it.
func climbs(glob, value string) bool {
	return strings.Contains(strings.ReplaceAll(glob, "**", ""), "*") && hasParent(value) && !hasParent(glob)
}

func hasParent(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '/' || r == '=' || r == '\t' }) {
		if word == ".." {
			return true
		}
	}
	return false
}
