package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Models write "5" where a number belongs, or a list as JSON within a string. Such values are
// read as what the schema wants if there is exactly one way to do so: the readings that each
// problem allows are tried, and one that makes the whole value fit has to be the only one.
// What fits is never changed.

// Bounds of the search. What is not found within them counts as unreadable.
const (
	maxReadings = 16 // of one value
	maxRounds   = 8  // JSON within JSON
	maxTries    = 32
)

// reading is a value in the place of another one.
type reading struct {
	at    []string
	value any
}

// absent stands for a field that is left out.
type absent struct{}

// read finds the only way to read a value that does not fit so that it fits.
func (s *Schema) read(value any, bad *jsonschema.ValidationError) (any, bool) {
	for _, without := range []bool{false, true} { // a field is left out only where nothing else helps
		if found := s.search(attempt{value, bad}, without); len(found) > 0 {
			return found[0], len(found) == 1
		}
	}
	return nil, false
}

// attempt is a value that does not fit yet.
type attempt struct {
	value any
	bad   *jsonschema.ValidationError
}

// search finds the values that fit, none if it has to be given up.
func (s *Schema) search(first attempt, without bool) (found []any) {
	tries := 0
	open := []attempt{first}
	for range maxRounds {
		var next []attempt
		for _, a := range open {
			for _, edits := range readings(a.bad, a.value, without) {
				if tries++; tries > maxTries {
					return nil
				}
				v := edited(a.value, edits)
				if left, misfit := errors.AsType[*jsonschema.ValidationError](s.compiled.Validate(v)); misfit {
					next = append(next, attempt{v, left})
				} else {
					found = add(found, v)
				}
			}
		}
		open = next
	}
	return found
}

func add(found []any, v any) []any {
	if slices.ContainsFunc(found, func(known any) bool { return same(known, v) }) {
		return found
	}
	return append(found, v)
}

func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
