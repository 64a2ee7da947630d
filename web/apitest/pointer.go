package apitest

import (
	"net/url"
	"strconv"
	"strings"
)

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// pointer appends keys to a JSON pointer in fragment form.
func pointer(at string, keys ...string) string {
	for _, key := range keys {
		at += "/" + url.PathEscape(escaper.Replace(key))
	}
	return at
}

// keysOf takes a JSON pointer apart.
func keysOf(location string) []string {
	keys := strings.Split(strings.TrimPrefix(location, "#/"), "/")
	for i, key := range keys {
		if plain, err := url.PathUnescape(key); err == nil {
			keys[i] = unescaper.Replace(plain)
		}
	}
	return keys
}

// at returns the object that a pointer leads to, nil if there is none.
func (d *description) at(location string) object {
	here := any(d.root)
	for _, key := range keysOf(location) {
		here = step(here, key)
	}
	found, _ := here.(object)
	return found
}

// place is where references lead to.
type place struct {
	found object
	at    string
}

// resolve follows references and returns what they lead to, and where it is.
func (d *description) resolve(location string) (object, string) {
	if known, ok := d.places.Load(location); ok {
		return known.(place).found, known.(place).at
	}
	to := place{d.at(location), location}
	for {
		ref, ok := to.found["$ref"].(string)
		if !ok {
			d.places.Store(location, to)
			return to.found, to.at
		}
		to = place{d.at(ref), ref}
	}
}

func step(here any, key string) any {
	switch here := here.(type) {
	case object:
		return here[key]
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i < len(here) {
			return here[i]
		}
	}
	return nil
}

// child is the object below a key, an empty one if there is none.
func child(o object, key string) object {
	found, _ := o[key].(object)
	return found
}

// list is the array below a key, an empty one if there is none.
func list(o object, key string) []any {
	found, _ := o[key].([]any)
	return found
}
