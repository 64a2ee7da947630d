package schema

import (
	"encoding/json"
	"testing"
)

// offered is what becomes of a tool's schema: what arguments are checked against, and
// what models get.
func offered(t *testing.T, raw string) (*Schema, string, error) {
	t.Helper()
	whole, err := Mend(json.RawMessage(raw))
	if err != nil {
		return nil, "", err
	}
	s, err := Compile("t", whole)
	if err != nil {
		return nil, "", err
	}
	plain, err := Plain(whole)
	return s, string(plain), err
}

// TestMend: what other people's programs write as a schema can be used and sent.
func TestMend(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ raw, plain, fits, fails string }{
		"nothing":              {``, `{"properties":{},"type":"object"}`, `{}`, ``},
		"null":                 {`null`, `{"properties":{},"type":"object"}`, `{}`, ``},
		"true":                 {`true`, `{"properties":{},"type":"object"}`, `{"a":1}`, ``},
		"an empty list":        {`[]`, `{"properties":{},"type":"object"}`, `{}`, ``},
		"empty":                {`{}`, `{"properties":{},"type":"object"}`, `{}`, ``},
		"a dialect only":       {`{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"properties":{},"type":"object"}`, `{}`, ``},
		"an unknown dialect":   {`{"$schema":"https://example.org/mine","type":"object","properties":{}}`, `{"properties":{},"type":"object"}`, `{}`, ``},
		"no type":              {`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, `{"a":"x"}`, `{"a":[]}`},
		"several types":        {`{"type":["object","null"],"properties":{}}`, `{"properties":{},"type":"object"}`, `{}`, ``},
		"no properties":        {`{"type":"object"}`, `{"properties":{},"type":"object"}`, `{"a":1}`, ``},
		"properties in a list": {`{"type":"object","properties":[],"required":[]}`, `{"properties":{},"required":[],"type":"object"}`, `{}`, ``},
		"no items":             {`{"type":"object","properties":{"a":{"type":"array"}}}`, `{"properties":{"a":{"items":{},"type":"array"}},"type":"object"}`, `{"a":[1]}`, ``},
		"items in a list":      {`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"integer"}],"additionalItems":false}}}`, `{"properties":{"a":{"items":false,"prefixItems":[{"type":"integer"}],"type":"array"}},"type":"object"}`, `{"a":[1]}`, `{"a":[1,2]}`},
		"a reference":          {`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"x":{"type":"string"}}}}}`, `{"$defs":{"A":{"properties":{"x":{"type":"string"}},"type":"object"}},"properties":{"x":{"type":"string"}},"type":"object"}`, `{"x":"a"}`, `{"x":[]}`},
		"a recursive one":      {`{"$ref":"#/definitions/N","definitions":{"N":{"type":"object","properties":{"next":{"$ref":"#/definitions/N"}}}}}`, `{"definitions":{"N":{"properties":{"next":{"$ref":"#/definitions/N"}},"type":"object"}},"properties":{"next":{"$ref":"#/definitions/N"}},"type":"object"}`, `{"next":{"next":{}}}`, `{"next":{"next":[]}}`},
		"one to itself":        {`{"$ref":"#"}`, `{"properties":{},"type":"object"}`, `{}`, ``},
		"true inside":          {`{"type":"object","properties":{"a":true,"b":false,"c":null}}`, `{"properties":{"a":{},"c":{}},"type":"object"}`, `{"a":1}`, `{"b":1}`},
		"alternatives":         {`{"oneOf":[{"properties":{"a":{"type":"string"},"k":{"const":1}},"required":["a","k"]},{"properties":{"b":{"type":"string"},"k":{"const":2}},"required":["b","k"]}]}`, `{"properties":{"a":{"type":"string"},"b":{"type":"string"},"k":{"anyOf":[{"const":1},{"const":2}]}},"required":["k"],"type":"object"}`, `{"a":"x","k":1}`, `{"a":"x","k":2}`},
		"parts":                {`{"allOf":[{"$ref":"#/$defs/A"},{"required":["b"]}],"$defs":{"A":{"properties":{"b":{"type":"integer"}}}}}`, `{"$defs":{"A":{"properties":{"b":{"type":"integer"}}}},"properties":{"b":{"type":"integer"}},"required":["b"],"type":"object"}`, `{"b":1}`, `{}`},
		"required elsewhere":   {`{"type":"object","properties":{"a":{}},"required":["a","b","b",5]}`, `{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`, `{"a":1,"b":2}`, `{"a":1}`},
		"required, forbidden":  {`{"type":"object","properties":{"a":{}},"required":["a","b"],"additionalProperties":false}`, `{"additionalProperties":false,"properties":{"a":{}},"required":["a"],"type":"object"}`, `{"a":1}`, `{}`},
		"required of draft 3":  {`{"type":"object","properties":{"a":{"type":"string","required":true}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, `{}`, ``},
		"bounds of draft 4":    {`{"type":"object","properties":{"a":{"type":"integer","minimum":0,"exclusiveMinimum":true},"b":{"type":"integer","maximum":9,"exclusiveMaximum":false}}}`, `{"properties":{"a":{"exclusiveMinimum":0,"type":"integer"},"b":{"maximum":9,"type":"integer"}},"type":"object"}`, `{"a":1,"b":9}`, `{"a":0}`},
		"nullable":             {`{"type":"object","properties":{"a":{"type":"string","nullable":true,"enum":["x"]}}}`, `{"type":"object","properties":{"a":{"type":"string","nullable":true,"enum":["x"]}}}`, `{"a":null}`, `{"a":"y"}`},
		"no values":            {`{"type":"object","properties":{"a":{"type":"string","enum":[],"default":null,"format":"emoji"}}}`, `{"properties":{"a":{"default":null,"format":"emoji","type":"string"}},"type":"object"}`, `{"a":"x"}`, ``},
		"types of Python":      {`{"type":"dict","properties":{"a":{"type":"str"},"b":{"type":"any"},"c":{"type":["int","None"]},"d":{"type":"STRING"}}}`, `{"properties":{"a":{"type":"string"},"b":{},"c":{},"d":{"type":"string"}},"type":"object"}`, `{"a":"x","b":[],"c":null}`, `{"a":[]}`},
		"other kinds":          {`{"type":"object","properties":{"a":{"type":"string","description":null,"maxLength":"5","title":7}},"additionalProperties":"no","required":null}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, `{"a":"long enough"}`, ``},
		"look-around":          {`{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, `{"a":"y"}`, `{"a":"xy"}`},
		"an unreadable name":   {`{"type":"object","properties":{},"patternProperties":{"(?P=x":{"type":"integer"}},"additionalProperties":false}`, `{"patternProperties":{},"properties":{},"type":"object"}`, `{"a":"y"}`, ``},
		"sound":                {`{"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "items": {"type": "string"}}}}`, `{"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "items": {"type": "string"}}}}`, `{"a":[]}`, `{}`},
	} {
		s, plain, err := offered(t, tt.raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if plain != tt.plain {
			t.Errorf("%s: models get\n%s, want\n%s", name, plain, tt.plain)
		}
		if _, err := s.Check(tt.fits); err != nil {
			t.Errorf("%s: %s does not fit: %v", name, tt.fits, err)
		}
		if tt.fails != "" {
			if _, err := s.Check(tt.fails); err == nil {
				t.Errorf("%s: %s fits", name, tt.fails)
			}
		}
	}
	for _, raw := range []string{`{"type":"array","items":{}}`, `{"type":"string"}`, `{"type":["array","null"]}`, `{"$ref":"#/$defs/L","$defs":{"L":{"type":"array"}}}`, `false`, `"object"`, `[1]`, `{"$ref":"#/$defs/none"}`, `{"properties":{"a":{"$ref":"https://example.org/a"}}}`} {
		if _, plain, err := offered(t, raw); err == nil {
			t.Errorf("%s became %s", raw, plain)
		}
	}
}

// TestPatterns: those of ECMA 262 hold, in a bounded time; what cannot be read is not checked.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, fits, fails string }{
		{`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`, "ana@example.org", "ana..b@example.org"},
		{`(?<=\$)\d+$`, "$5", "5"},
		{`(?<!un)safe`, "safe", "unsafe"},
		{`^(?<q>['"]).*\k<q>$`, "'a'", `'a"`},
		{`^(a|b)\1$`, "aa", "ab"},
		{`^\d+$`, "12", "१२"},
		{`^\p{Script=Han}+$`, "汉字", "abc"},
		{`^\p{Lu}\p{Letter}*$`, "Äb", "äb"},
		{`^\p{Emoji}$`, "😀", "a"},
		{`^\u{1F600}$`, "😀", "u"},
		{`^\u0041[^]$`, "A\n", "B\n"},
		{`^.$`, "😀", "ab"},
		{`^\S+\s\S+$`, "王\u3000明", "王明"},
		{`^\d+\Z`, "12", "12x"},
		{`(?i)^abc$`, "ABC", "abd"},
		{`^(?P<n>a)(?P=n)$`, "anything", ""},
		{`[`, "anything", ""},
		{`^(a+)+(?!b)c$`, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", ""}, // it would never end
	} {
		raw, _ := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string", "pattern": tt.pattern}}})
		s, _, err := offered(t, string(raw))
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		check := func(text string) error {
			args, _ := json.Marshal(map[string]string{"a": text})
			_, err := s.Check(string(args))
			return err
		}
		if err := check(tt.fits); err != nil {
			t.Errorf("%s: %q does not fit: %v", tt.pattern, tt.fits, err)
		}
		if tt.fails != "" && check(tt.fails) == nil {
			t.Errorf("%s: %q fits", tt.pattern, tt.fails)
		}
	}
}
