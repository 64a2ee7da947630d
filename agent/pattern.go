package agent

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"fusebox/agent/fingerprint"
)

// Pattern names calls by their arguments: for each named field a glob that its
// value has to fit. Fields inside objects are named with dots (target.path).
// A field that is not named may have any value; nil fits every call.
type Pattern map[string]string

// Matches reports whether arguments fit for certain, as what lets a call run
// must know it. Only texts, numbers and booleans fit a glob (see Glob); a named
// field that is missing does not. Where a name can be read as several fields
// (a.b and b in a, Path and path), all of them have to fit: tools differ in
// which one they take.
func (p Pattern) Matches(args json.RawMessage) bool {
	return p.each(args, func(glob string, values []any) bool {
		return len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool {
			text, ok := scalar(v)
			return !ok || !Glob(glob, text)
		})
	})
}

// Touches reports whether arguments may match, as a rule that blocks a call must
// ask: a * stands for any text (see GlobWide), a path may be written in any way,
// and of several fields that a name can be read as one is enough.
func (p Pattern) Touches(args json.RawMessage) bool {
	return p.each(args, func(glob string, values []any) bool {
		return slices.ContainsFunc(values, func(v any) bool {
			text, ok := scalar(v)
			return ok && (GlobWide(glob, text) || GlobWide(glob, path.Clean(strings.ReplaceAll(text, `\`, "/"))))
		})
	})
}

// each reports whether every named field fits.
func (p Pattern) each(args json.RawMessage, fits func(glob string, values []any) bool) bool {
	if len(p) == 0 {
		return true
	}
	parsed, _ := fingerprint.ParseJSON(string(args))
	fields, isObject := parsed.(map[string]any)
	if !isObject {
		return false
	}
	for name, glob := range p {
		if !fits(glob, valuesAt(fields, name)) {
			return false
		}
	}
	return true
}

// valuesAt lists all fields that a dotted name can mean.
func valuesAt(fields map[string]any, name string) []any {
	var found []any
	head, rest, nested := strings.Cut(name, ".")
	for key, v := range fields {
		if strings.EqualFold(key, name) {
			found = append(found, v)
		}
		if inner, ok := v.(map[string]any); ok && nested && strings.EqualFold(key, head) {
			found = append(found, valuesAt(inner, rest)...)
		}
	}
	return found
}

// scalar is the text of a value that a glob can fit; numbers are in their
// shortest form.
func scalar(v any) (string, bool) {
	switch v := fingerprint.Normalize(v).(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return string(MustJSON(v)), true
	default:
		return "", false
	}
}

// control are the characters that make one command line into two, or a word
// into something else.
const control = ";&|<>$`(){}\\\"'\n\r\x00"

// Glob reports whether value certainly matches a glob. * stands for any text
// without the characters that shells and line breaks give a meaning, so that
// "go test *" does not let "go test; rm -rf ." pass; ** stands for any text at
// all. Where a glob has a single *, no path in value leaves the workspace, by
// "..", "/" or "~", but where the glob says so itself. All else is literal.
func Glob(glob, value string) bool {
	single := strings.Contains(strings.ReplaceAll(glob, "**", ""), "*")
	if single && (climbs(value)+hiddenClimbs(value) > climbs(glob) || roots(value) > roots(glob)) {
		return false
	}
	return fits(glob, value, `[^`+regexp.QuoteMeta(control)+`]*`)
}

// GlobWide is Glob where a single * stands for any text as well.
func GlobWide(glob, value string) bool { return fits(glob, value, `.*`) }

// fits matches the whole of value; single is what one * becomes.
func fits(glob, value, single string) bool {
	if start, _, _ := strings.Cut(glob, "*"); !strings.HasPrefix(value, start) {
		return false // most globs end here, without the cost of compiling them
	}
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	for rest := glob; rest != ""; {
		before, after, found := strings.Cut(rest, "*")
		re.WriteString(regexp.QuoteMeta(before))
		switch {
		case !found:
		case strings.HasPrefix(after, "*"):
			re.WriteString(`.*`)
			after = after[1:]
		default:
			re.WriteString(single)
		}
		rest = after
	}
	re.WriteString(`\z`)
	compiled, err := regexp.Compile(re.String())
	return err == nil && compiled.MatchString(value)
}

// climbs counts the ".." in a text that lead out of a folder: "../x", "a=..",
// but neither "./..." nor "v1..v2". One next to a * is not one that a glob says
// itself: the star may make something else of it.
func climbs(text string) int {
	n := 0
	for i := 0; i+1 < len(text); i++ {
		if text[i:i+2] != ".." {
			continue
		}
		before, after := neighbour(text, i-1), neighbour(text, i+2)
		if strings.ContainsRune(".*", before) || strings.ContainsRune(".*", after) {
			continue
		}
		if after == '/' || ((!inWord(before) || behindOption(text, i)) && !inWord(after)) {
			n++
		}
	}
	return n
}

// hiddenClimbs counts the names of which a shell may make "..": ".?", ".*",
// "..*", ".[.]".
func hiddenClimbs(text string) int {
	n := 0
	for i := range len(text) {
		if before := neighbour(text, i-1); text[i] != '.' || before == '.' || inWord(before) {
			continue
		}
		next := neighbour(text, i+1)
		if strings.ContainsRune("*?[", next) || (next == '.' && neighbour(text, i+2) == '*') {
			n++
		}
	}
	return n
}

// roots counts the paths in a text that begin at the root or at a home folder:
// "/x", "a=/x", "-o/x", "~/x", but not the address "https://x/y".
func roots(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] != '/' && text[i] != '~' {
			continue
		}
		begins := strings.ContainsRune(" \t=,:@", neighbour(text, i-1))
		if text[i] == '/' && begins && neighbour(text, i-1) == ':' && neighbour(text, i+1) == '/' {
			continue // the // of an address
		}
		if begins || behindOption(text, i) {
			n++
		}
	}
	return n
}

// behindOption reports whether what begins at i is written right behind short
// options: the path in "-o/x" and "-uf/x".
func behindOption(text string, i int) bool {
	start := i
	for start > 0 && (text[start-1] >= 'a' && text[start-1] <= 'z' || text[start-1] >= 'A' && text[start-1] <= 'Z') {
		start--
	}
	return start < i && neighbour(text, start-1) == '-' && strings.ContainsRune(" \t", neighbour(text, start-2))
}

// neighbour is the byte at i, or a space outside of the text.
func neighbour(text string, i int) rune {
	if i < 0 || i >= len(text) {
		return ' '
	}
	return rune(text[i])
}

func inWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r > 127
}
