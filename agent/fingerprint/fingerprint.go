package fingerprint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// Args identifies a call's arguments: SHA-256 over canonical JSON
// (keys sorted at every depth, array order kept, 1 = 1.0), the first 16 hex
// digits. identity limits it to some top-level fields, or with "*." in front to
// the values of a field at any depth, in their order; nil takes all. Text that
// is not JSON is hashed as it is.
func Args(args string, identity []string) string {
	v, ok := ParseJSON(args)
	if !ok {
		return digest([]byte(args))
	}
	return digest(canonical(pick(v, identity)))
}

// pick reduces arguments to the fields that make their identity.
func pick(v any, identity []string) any {
	obj, isObj := v.(map[string]any)
	if !isObj || identity == nil {
		return v
	}
	picked := map[string]any{}
	for _, field := range identity {
		if name, deep := strings.CutPrefix(field, "*."); deep {
			picked[field] = collect(nil, v, name)
		} else if value, there := obj[field]; there {
			picked[field] = value
		}
	}
	return picked
}

// collect lists the values of a field at any depth: arrays in their order, the
// fields of an object by name.
func collect(found []any, v any, name string) []any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k == name {
				found = append(found, v[k])
			} else {
				found = collect(found, v[k], name)
			}
		}
	case []any:
		for _, e := range v {
			found = collect(found, e, name)
		}
	}
	return found
}

// Result identifies a result: fields the tool declares volatile are
// removed at every depth, and in text whatever changes without meaning
// progress (ISO and clock times, UUIDs, long hex strings) becomes a mark.
// Plain numbers stay: 35 % to 40 % is progress. The order of lines does not count:
// what lists files or works in parallel returns them in any.
func Result(result string, volatile []string) string {
	if v, ok := ParseJSON(result); ok {
		return digest([]byte(scrub(string(canonical(dropFields(v, volatile))))))
	}
	if strings.Contains(result, "\n") && !strings.HasSuffix(result, "\n") {
		result += "\n" // ends the last line as the others
	}
	lines := slices.Sorted(strings.Lines(scrub(result)))
	return digest([]byte(strings.Join(lines, "")))
}

// Text identifies an assistant's text, "" for none; white space
// makes no difference.
func Text(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	if words == "" {
		return ""
	}
	return digest([]byte(words))
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// ParseJSON reads one JSON value with its numbers as text, false where there is
// none or more behind it.
func ParseJSON(s string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, false // there is more behind it
	}
	return v, true
}

// canonical writes v with sorted keys (encoding/json sorts them) and numbers
// in one form.
func canonical(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(Normalize(v)); err != nil {
		return nil // v came out of a decoder: it always encodes
	}
	return bytes.TrimSpace(b.Bytes())
}

// Normalize brings the numbers of a decoded value into one form at every depth.
func Normalize(v any) any {
	return eachLeaf(v, func(v any) any {
		if n, ok := v.(json.Number); ok {
			return normalizeNumber(n)
		}
		return v
	})
}

// eachLeaf puts what a function makes of it in the place of each value that holds no others.
func eachLeaf(v any, of func(any) any) any {
	switch holds := v.(type) {
	case map[string]any:
		for k := range holds {
			holds[k] = eachLeaf(holds[k], of)
		}
	case []any:
		for i := range holds {
			holds[i] = eachLeaf(holds[i], of)
		}
	default:
		return of(v)
	}
	return v
}

// maxNumberText bounds the numbers that are brought into one form: 1e999999999
// as a fraction would fill the memory.
const maxNumberText = 40

func normalizeNumber(n json.Number) any {
	if len(n) > maxNumberText {
		return n
	}
	f, err := n.Float64()
	if err != nil || f > 1e300 || f < -1e300 || (f != 0 && f < 1e-300 && f > -1e-300) {
		return n
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return n
	}
	if r.IsInt() {
		return json.Number(r.RatString())
	}
	return json.Number(strings.TrimRight(r.FloatString(maxFraction), "0"))
}

// maxFraction holds every digit that maxNumberText and the bounds of the
// exponent allow, so that different numbers stay different.
const maxFraction = 340

func dropFields(v any, fields []string) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if slices.Contains(fields, k) {
				delete(v, k)
				continue
			}
			v[k] = dropFields(v[k], fields)
		}
	case []any:
		for i := range v {
			v[i] = dropFields(v[i], fields)
		}
	}
	return v
}

var volatileText = regexp.MustCompile(
	`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?` + // ISO times
		`|\b\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\b` + // clock times
		`|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b` + // UUIDs
		`|\breq[_-][0-9A-Za-z]{4,}\b` + // request ids
		`|(?i:\b(?:x-)?(?:request|trace|correlation|span)[ _-]?id\b["']?\s*[:=#]?\s*["']?[0-9a-z_-]+)` +
		// Seconds or milliseconds since 1970, where their name says so.
		`|(?i:(?:time|stamp|date|_at|\bts)["']?\s*[:=]\s*["']?1\d{9}(?:\d{3})?(?:\.\d+)?\b)` +
		`|\b[0-9a-fA-F]{16,}\b`) // hashes

func scrub(s string) string { return volatileText.ReplaceAllString(s, "·") }
