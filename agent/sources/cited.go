package sources

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
)

// maxUnknown bounds how many unknown citations are kept of an answer.
const maxUnknown = 100

// maxMark is the most bytes of a citation with its brackets.
const maxMark = 43

// bracket is a citation as an answer writes it: a number, or the id of a passage.
var bracket = regexp.MustCompile(`\[(\d{1,3}|p[0-9A-Z]{20,40})\]`)

// Mark reads a citation at the start of a text: what stands in its brackets and how long
// it is with them; 0 for no citation.
func Mark(text []byte) (key string, n int) {
	text = text[:min(len(text), maxMark)] // else a text of brackets takes the square of its length
	if at := bracket.FindSubmatchIndex(text); at != nil && at[0] == 0 {
		return string(text[at[2]:at[3]]), at[1]
	}
	return "", 0
}

// Keys are what a citation may stand as in an answer's brackets.
func Keys(c agent.Citation) []string {
	if c.PassageID == "" {
		return []string{strconv.Itoa(c.N)}
	}
	return []string{strconv.Itoa(c.N), c.PassageID}
}

// cited finds the sources that a text cites, and the citations that match no source.
func cited(text string, all []agent.Citation) (known []agent.Citation, unknown []string) {
	for _, m := range bracket.FindAllStringSubmatch(withoutCode(text), -1) {
		key := m[1]
		i := slices.IndexFunc(all, func(c agent.Citation) bool { return slices.Contains(Keys(c), key) })
		switch {
		case i >= 0 && !slices.Contains(known, all[i]):
			known = append(known, all[i])
		case i < 0 && !slices.Contains(unknown, key) && len(unknown) < maxUnknown:
			unknown = append(unknown, key)
		}
	}
	slices.SortFunc(known, func(a, b agent.Citation) int { return cmp.Compare(a.N, b.N) })
	return known, unknown
}

var (
	fence    = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	codeSpan = regexp.MustCompile("``[^\n]+?``|`[^`\n]+`")
)

// withoutCode leaves out the code of a text in markdown.
func withoutCode(text string) string {
	if !strings.Contains(text, "`") && !strings.Contains(text, "~~~") {
		return text
	}
	var b strings.Builder
	open := ""
	for line := range strings.Lines(text) {
		m := fence.FindStringSubmatch(line)
		switch {
		case open != "":
			if m != nil && strings.HasPrefix(m[1], open) && strings.TrimSpace(line) == m[1] {
				open = ""
			}
		case m != nil:
			open = m[1]
		default:
			b.WriteString(line)
		}
	}
	return codeSpan.ReplaceAllString(b.String(), " ")
}
