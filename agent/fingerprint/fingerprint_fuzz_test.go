package fingerprint

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzFingerprintArgs: no text makes it panic; JSON that is written again,
// indented or with other white space, is the same call; a changed string is not.
func FuzzFingerprintArgs(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `""`, `{"a":1,"b":{"x":[1,2,{"c":null}]}}`, `{"b":2,"a":1.0}`, `{"a":1e2,"b":-0,"c":0.10}`, `{"a":1e999999999}`,
		`{"a":"\u00e9","b":"é"}`, `{"a":"<&>"}`, `[`, `{"a":1}{"a":2}`, `{"a":1,"a":2}`, `[[[[[[]]]]]]`, `{"":""}`, "\xff", `{"a":123456789012345678901234567890}`,
		`{"plan":[{"step":"x","status":"pending"}]}`, `"text"`, `12`, `true`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		if len(args) > 10_000 {
			return
		}
		fp := Args(args, nil)
		_ = Shape(args, nil)
		_ = Result(args, []string{"a"})
		_ = Args(args, []string{"a", "*.status"})
		if _, ok := ParseJSON(args); !ok {
			return
		}
		var indented bytes.Buffer
		if json.Indent(&indented, []byte(args), " ", "\t") == nil && Args(indented.String(), nil) != fp {
			t.Errorf("%q and %q are two calls", args, indented.String())
		}
		if changed := strings.Replace(args, `"a"`, `"changed"`, 1); changed != args && strings.Count(args, `"a"`) == 1 && Args(changed, nil) == fp {
			t.Errorf("%q and %q are one call", args, changed)
		}
	})
}
