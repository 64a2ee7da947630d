package demo

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// filler makes up values that fit a JSON schema: the arguments of a call that a
// client insists on, or an answer that is bound to a schema. What the request
// says is used where it fits.
type filler struct {
	turn    turn
	root    map[string]any // for references inside the schema
	numbers []float64      // what numbers are filled with, in order; then made-up ones
	depth   int
	made    int // so many values were made up
}

// The bounds of what is made up.
const (
	maxFillDepth = 12
	maxFillItems = 20
	maxFillMade  = 10_000
)

// filled is the value of a whole schema, as JSON.
func filled(t turn, schema json.RawMessage) string {
	f := filler{turn: t, numbers: numbersIn(t.text)}
	raw, err := json.Marshal(f.fill("", decodeSchema(schema)))
	if err != nil {
		return "{}"
	}
	return string(raw)
}

func (w wireTool) schema() map[string]any { return decodeSchema(w.Function.Parameters) }

func decodeSchema(raw json.RawMessage) map[string]any {
	var s map[string]any
	if json.Unmarshal(raw, &s) != nil {
		return map[string]any{"type": "object"}
	}
	return s
}

// fill makes up a value for a schema; name is the key under which it stands.
func (f *filler) fill(name string, schema any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return f.text(name, nil) // true: anything fits
	}
	if f.root == nil {
		f.root = s
	}
	if f.depth == maxFillDepth || f.made == maxFillMade {
		return nil
	}
	f.depth++
	f.made++
	defer func() { f.depth-- }()
	if ref, ok := s["$ref"].(string); ok {
		return f.fill(name, f.resolve(ref))
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return f.choice(list)
	}
	if one, composed := f.merged(s); composed {
		return f.fill(name, one)
	}
	return f.ofType(name, s)
}

func (f *filler) ofType(name string, s map[string]any) any {
	switch typeOf(s) {
	case "object":
		return f.object(s)
	case "array":
		return f.array(name, s)
	case "integer":
		return int64(math.Round(f.number(s, true)))
	case "number":
		return f.number(s, false)
	case "boolean":
		return true
	case "null":
		return nil
	default:
		return f.text(name, s)
	}
}

// typeOf is the type of a schema, the first of several that is not null.
func typeOf(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if text, ok := one.(string); ok && text != "null" {
				return text
			}
		}
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}

// resolve follows a reference inside the schema.
func (f *filler) resolve(ref string) any {
	var at any = f.root
	for _, key := range strings.Split(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if key == "" {
			continue
		}
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	return at
}

// merged joins what a schema says with all of allOf and the first possible of
// anyOf and oneOf; composed is false where it has none of these.
func (f *filler) merged(s map[string]any) (one map[string]any, composed bool) {
	var parts []any
	if all, ok := s["allOf"].([]any); ok {
		parts = append(parts, all...)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if options, ok := s[key].([]any); ok && len(options) > 0 {
			i := slices.IndexFunc(options, func(o any) bool { m, ok := o.(map[string]any); return ok && m["type"] != "null" })
			parts = append(parts, options[max(i, 0)])
		}
	}
	if len(parts) == 0 {
		return s, false
	}
	out := map[string]any{}
	for k, v := range s {
		if k != "allOf" && k != "anyOf" && k != "oneOf" {
			out[k] = v
		}
	}
	for _, p := range parts {
		f.addPart(out, p)
	}
	return out, true
}

func (f *filler) addPart(out map[string]any, part any) {
	m, ok := part.(map[string]any)
	for n := 0; ok && m["$ref"] != nil && n < maxFillDepth; n++ {
		ref, _ := m["$ref"].(string)
		m, ok = f.resolve(ref).(map[string]any)
	}
	for k, v := range m {
		switch before := out[k].(type) {
		case map[string]any: // properties
			if more, ok := v.(map[string]any); ok {
				both := map[string]any{}
				for _, from := range []map[string]any{before, more} {
					for name, s := range from {
						both[name] = s
					}
				}
				out[k] = both
				continue
			}
		case []any: // required
			if more, ok := v.([]any); ok {
				out[k] = slices.Concat(before, more)
				continue
			}
		}
		out[k] = v
	}
}

// object fills what is required first, as far as it goes in the order that is
// given, and then what else is declared.
func (f *filler) object(s map[string]any) map[string]any {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	out := map[string]any{}
	for _, r := range required {
		if name, ok := r.(string); ok {
			out[name] = f.fill(name, properties[name])
		}
	}
	if f.depth > maxFillDepth/2 {
		return out // deep enough: what may be left out is
	}
	for _, name := range sortedKeys(properties) {
		if _, done := out[name]; !done && len(required) == 0 {
			out[name] = f.fill(name, properties[name])
		}
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (f *filler) array(name string, s map[string]any) []any {
	out := []any{}
	if prefix, ok := s["prefixItems"].([]any); ok {
		for _, p := range prefix {
			out = append(out, f.fill(name, p))
		}
	}
	least, most := intOf(s["minItems"], 1), intOf(s["maxItems"], maxFillItems)
	items, has := s["items"]
	if !has && len(out) >= least {
		return out
	}
	for len(out) < min(max(least, 1), most, maxFillItems) {
		v := f.fill(name, items)
		if s["uniqueItems"] == true {
			v = f.unlike(out, v, items)
		}
		out = append(out, v)
	}
	return out
}

// unlike changes a value so that it is not among others.
func (f *filler) unlike(others []any, v, schema any) any {
	if s, ok := schema.(map[string]any); ok {
		if list, ok := s["enum"].([]any); ok && len(list) > len(others) {
			return list[len(others)]
		}
	}
	switch v := v.(type) {
	case int64:
		return v + int64(len(others))
	case float64:
		return v + float64(len(others))
	case string:
		if len(others) > 0 {
			return v + " " + decimal(float64(len(others)+1))
		}
	}
	return v
}

func intOf(v any, otherwise int) int {
	if n, ok := v.(float64); ok {
		return int(n)
	}
	return otherwise
}

// number is the request's next number, moved into the bounds.
func (f *filler) number(s map[string]any, whole bool) float64 {
	v := 1.0
	if len(f.numbers) > 0 {
		v, f.numbers = f.numbers[0], f.numbers[1:]
	}
	step := 1.0
	if m, ok := s["multipleOf"].(float64); ok && m > 0 {
		step = m
		v = math.Round(v/m) * m
	} else if whole {
		v = math.Round(v)
	}
	if low, ok := s["minimum"].(float64); ok && v < low {
		v = math.Ceil(low/step) * step
		if !whole && s["multipleOf"] == nil {
			v = low
		}
	}
	if low, ok := s["exclusiveMinimum"].(float64); ok && v <= low {
		v = math.Floor(low/step)*step + step
	}
	if high, ok := s["maximum"].(float64); ok && v > high {
		v = math.Floor(high/step) * step
		if !whole && s["multipleOf"] == nil {
			v = high
		}
	}
	if high, ok := s["exclusiveMaximum"].(float64); ok && v >= high {
		v = math.Ceil(high/step)*step - step
		if low, ok := s["exclusiveMinimum"].(float64); !whole && ok {
			v = (low + high) / 2
		}
	}
	return v
}

// choice is the value of a list that the request names, else the first.
func (f *filler) choice(list []any) any {
	for _, v := range list {
		if text, ok := v.(string); ok && f.turn.means(strings.TrimSpace(wordsOf(text))) {
			return v
		}
	}
	return list[0]
}

// formats are values of the formats that schemas name.
var formats = map[string]string{
	"date": "2026-01-01", "date-time": "2026-01-01T12:00:00Z", "time": "12:00:00Z", "duration": "PT1H", "email": "someone@example.org",
	"hostname": "example.org", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.org/", "uuid": "00000000-0000-4000-8000-000000000000",
}

// maxFillText bounds, in runes, what is taken of the request.
const maxFillText = 200

// text is what the request says that goes with a name.
func (f *filler) text(name string, s map[string]any) string {
	if format, ok := s["format"].(string); ok && formats[format] != "" {
		return formats[format]
	}
	if pattern, ok := s["pattern"].(string); ok {
		return matching(pattern)
	}
	v := cmp.Or(f.named(name), f.turn.text, "sample")
	r := []rune(v)
	r = r[:min(len(r), maxFillText, max(0, intOf(s["maxLength"], maxFillText)))]
	if short := intOf(s["minLength"], 0) - utf8.RuneCountInString(string(r)); short > 0 {
		r = append(r, []rune(strings.Repeat("x", min(short, maxFillText)))...)
	}
	return string(r)
}

// named is what the request says of a place or a calculation, where a name asks for it.
func (f *filler) named(name string) string {
	lower := strings.ToLower(name)
	switch {
	case slices.Contains(weatherSkill.fields[:3], lower):
		if named := citiesIn(f.turn.words); len(named) > 0 {
			return named[0].name
		}
		return "Guangzhou"
	case slices.Contains(sumSkill.fields[:4], lower):
		return cmp.Or(expressionIn(f.turn.text), "1+1")
	}
	return ""
}
