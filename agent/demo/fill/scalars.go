package fill

import (
	"cmp"
	"math"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

func intOf(v any, otherwise int) int {
	if n, ok := v.(float64); ok {
		return int(n)
	}
	return otherwise
}

// number is the request's next number, moved into the bounds.
func (f *filler) number(s map[string]any, whole bool) float64 {
	v := 1.0
	if len(f.hints.Numbers) > 0 {
		v, f.hints.Numbers = f.hints.Numbers[0], f.hints.Numbers[1:]
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

var formats = map[string]string{
	"date": "2026-01-01", "date-time": "2026-01-01T12:00:00Z", "time": "12:00:00Z", "duration": "PT1H", "email": "someone@example.org",
	"hostname": "example.org", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.org/", "uuid": "00000000-0000-4000-8000-000000000000",
}

// maxText bounds, in runes, what is taken of the request.
const maxText = 200

// text is what the request says that goes with a name.
func (f *filler) text(name string, s map[string]any) string {
	if format, ok := s["format"].(string); ok && formats[format] != "" {
		return formats[format]
	}
	if pattern, ok := s["pattern"].(string); ok {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			return ""
		}
		var b strings.Builder
		writeMatch(&b, re.Simplify())
		return b.String()
	}
	v := cmp.Or(f.hints.Named(name), f.hints.Text, "sample")
	r := []rune(v)
	r = r[:min(len(r), maxText, max(0, intOf(s["maxLength"], maxText)))]
	if short := intOf(s["minLength"], 0) - utf8.RuneCountInString(string(r)); short > 0 {
		r = append(r, []rune(strings.Repeat("x", min(short, maxText)))...)
	}
	return string(r)
}

// writeMatch writes a text that a regular expression matches.
func writeMatch(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			b.WriteRune(readable(re.Rune))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			writeMatch(b, sub)
		}
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		writeMatch(b, re.Sub[0])
	default: // an anchor, or what may be left out
	}
}

// readable is a character of a class, a letter or digit where it has one.
func readable(ranges []rune) rune {
	for _, c := range "a0A" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= c && c <= ranges[i+1] {
				return c
			}
		}
	}
	return ranges[0]
}
