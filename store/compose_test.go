package store_test

import (
	"reflect"
	"testing"

	"fusebox/store"
)

// TestNoMethodIsHidden: a Store has every method of its types. Go would drop a
// method from it without a word where two types have one of the same name, or
// where a field has that name.
func TestNoMethodIsHidden(t *testing.T) {
	t.Parallel()
	whole := reflect.TypeFor[*store.Store]()
	fields := whole.Elem()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if !field.Anonymous {
			continue
		}
		for m := range field.Type.NumMethod() {
			name := field.Type.Method(m).Name
			if _, ok := whole.MethodByName(name); !ok {
				t.Errorf("%s.%s is not a method of Store", field.Name, name)
			}
		}
	}
}
