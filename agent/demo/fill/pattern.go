package fill

import (
	"regexp/syntax"
	"strings"
)

// matching is a text that a regular expression matches, "" for one that cannot be read.
func matching(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	writeMatch(&b, re.Simplify())
	return b.String()
}

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
