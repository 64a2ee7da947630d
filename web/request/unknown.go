package request

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"fusebox/agent"
)

// refuseUnknown refuses JSON with a field that a request does not take: one that is
// misspelt must not be left out in silence. Values of another kind are for decoding to find.
func refuseUnknown(body []byte, into any) error {
	path, allowed := unknown("", body, reflect.TypeOf(into))
	if path == "" {
		return nil
	}
	return &BadRequest{Status: http.StatusBadRequest, Err: agent.InvalidField(path, "is not a field of this request; allowed: %s", strings.Join(allowed, ", "))}
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// unknown is the path of the first field that a type does not take, "" for none, and the
// names that are allowed there. at is the path of raw itself.
func unknown(at string, raw json.RawMessage, t reflect.Type) (path string, allowed []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return "", nil
	}
	switch t.Kind() {
	case reflect.Struct:
		takes := fieldsOf(t)
		return unknownMember(at, raw, func(name string) (reflect.Type, []string) {
			i := slices.IndexFunc(takes, func(f field) bool { return strings.EqualFold(f.name, name) }) // as decoding does
			if i < 0 {
				return nil, namesOf(takes)
			}
			return takes[i].kind, nil
		})
	case reflect.Map:
		return unknownMember(at, raw, func(string) (reflect.Type, []string) { return t.Elem(), nil })
	case reflect.Slice:
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return "", nil
		}
		for i, item := range items {
			if path, allowed = unknown(fmt.Sprintf("%s[%d]", at, i), item, t.Elem()); path != "" {
				return path, allowed
			}
		}
	default:
	}
	return "", nil
}

// unknownMember looks through an object; kindOf is the type of a member, nil for one that
// is not taken, with the names that are.
func unknownMember(at string, raw json.RawMessage, kindOf func(name string) (reflect.Type, []string)) (path string, allowed []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return "", nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		below := strings.TrimPrefix(at+"."+name, ".")
		kind, taken := kindOf(name)
		if kind == nil {
			return below, taken
		}
		if path, allowed = unknown(below, members[name], kind); path != "" {
			return path, allowed
		}
	}
	return "", nil
}

type field struct {
	name string
	kind reflect.Type
}

func fieldsOf(t reflect.Type) []field {
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-" || f.Anonymous && name == "":
		case name == "":
			list = append(list, field{f.Name, f.Type})
		default:
			list = append(list, field{name, f.Type})
		}
	}
	return list
}

func namesOf(list []field) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.name
	}
	return names
}
