package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestInWords: people and models read what is wrong, not the words of a schema.
func TestInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, value, want string }{
		{`{"type":["string","null"]}`, `5`, "has the type number; it must be null or string"},
		{`{"enum":["a",1]}`, `"b"`, `is not one of the values that are allowed: "a", 1`},
		{`{"minLength":2}`, `"a"`, "has 1 characters; at least 2 are needed"},
		{`{"maxLength":2}`, `"abc"`, "has 3 characters; at most 2 are allowed"},
		{`{"minItems":1}`, `[]`, "has 0 items; at least 1 are needed"},
		{`{"maxItems":1}`, `[1,2]`, "has 2 items; at most 1 are allowed"},
		{`{"uniqueItems":true}`, `[1,1]`, "has the same item twice; each is allowed once"},
		{`{"minimum":0.5}`, `0`, "is 0; at least 0.5 is needed"},
		{`{"maximum":3}`, `4`, "is 4; at most 3 is allowed"},
		{`{"pattern":"^a"}`, `"b"`, "'b' does not match pattern '^a'"},
	} {
		schema, err := Compile("t", json.RawMessage(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.value))
		if err != nil {
			t.Fatal(err)
		}
		var bad *jsonschema.ValidationError
		if !errors.As(schema.compiled.Validate(value), &bad) || len(bad.Causes) != 1 {
			t.Fatalf("%s of %s: %v", tt.value, tt.schema, bad)
		}
		if got := inWords(bad.Causes[0].ErrorKind); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.value, tt.schema, got, tt.want)
		}
	}
}
