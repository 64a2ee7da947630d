package sources

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
)

// The bounds of a mark: how many citations stand in it, how long the id of a passage is, and
// how many bytes are read behind a dagger.
const (
	maxMarkKeys = 10
	minPassage  = 20
	maxPassage  = 40
	maxDagger   = 60
)

// Mark reads a mark at the start of a text: the citations in its brackets, and how long it is with
// them; 0 for none. Models write [1], [1, 3], [^1], 【1】, and 【1†source】, where what is behind the
// dagger has no meaning. A citation is a number, or the id of a passage.
func Mark(text []byte) (keys []string, n int) {
	shut := "]"
	rest, ok := bytes.CutPrefix(text, []byte("["))
	if !ok {
		shut = "】"
		if rest, ok = bytes.CutPrefix(text, []byte("【")); !ok {
			return nil, 0
		}
	}
	for len(keys) < maxMarkKeys {
		rest = bytes.TrimPrefix(rest, []byte("^"))
		key := keyAt(rest)
		if key == "" {
			return nil, 0
		}
		keys, rest = append(keys, key), rest[len(key):]
		if after, ok := bytes.CutPrefix(rest, []byte(shut)); ok {
			return keys, len(text) - len(after)
		}
		if dagger, ok := bytes.CutPrefix(rest, []byte("†")); ok {
			if end := endOfDagger(dagger, shut); end > 0 {
				return keys, len(text) - len(dagger) + end
			}
			return nil, 0
		}
		if rest = behindComma(rest); rest == nil {
			return nil, 0
		}
	}
	return nil, 0
}

// keyAt is the citation at the start of a text, "" for none.
func keyAt(text []byte) string {
	n := 0
	for n < len(text) && n < 3 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n > 0 || len(text) == 0 || text[0] != 'p' {
		return string(text[:n])
	}
	for n = 1; n < len(text) && n <= maxPassage && (text[n] >= '0' && text[n] <= '9' || text[n] >= 'A' && text[n] <= 'Z'); n++ {
	}
	if n <= minPassage {
		return ""
	}
	return string(text[:n])
}

// endOfDagger is where a mark ends of which a text is what is behind the dagger, 0 where it does
// not. It reads nothing that has a meaning in markdown: a mark is in one piece there.
func endOfDagger(text []byte, shut string) int {
	end := bytes.Index(text[:min(len(text), maxDagger)], []byte(shut))
	if end < 0 || bytes.ContainsAny(text[:end], "[]【】*_~`<>\\&@:/\n") || bytes.Contains(text[:end], []byte("www.")) {
		return 0
	}
	return end + len(shut)
}

// behindComma is what follows a comma at the start of a text, nil where there is none.
func behindComma(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte(" "))
	r, n := utf8.DecodeRune(text)
	if !strings.ContainsRune(",，、;；", r) {
		return nil
	}
	return bytes.TrimPrefix(text[n:], []byte(" "))
}

// Keys are what a citation may stand as in an answer's brackets.
func Keys(c agent.Citation) []string {
	return []string{strconv.Itoa(c.N), idOf(c)}
}

// citing is a mark in a text, with the bytes that it takes.
type citing struct {
	keys     []string
	from, to int
}

// marksIn are the marks of a text in markdown, but for those in code, and behind a backslash.
func marksIn(text string) (all []citing) {
	plain := []byte(withoutCode(text))
	for at := 0; ; {
		i := bytes.IndexAny(plain[at:], "[【")
		if i < 0 {
			return all
		}
		at += i
		keys, n := Mark(plain[at:])
		if n > 0 && (at == 0 || plain[at-1] != '\\') {
			all = append(all, citing{keys, at, at + n})
		}
		at += max(n, 1)
	}
}

// Unmarked is a text in markdown without its marks, and the spaces in front of them.
func Unmarked(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range marksIn(text) {
		b.WriteString(strings.TrimRight(text[at:m.from], " "))
		at = m.to
	}
	return b.String() + text[at:]
}

var (
	fence    = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	codeSpan = regexp.MustCompile("``[^\n]+?``|`[^`\n]+`")
)

// withoutCode is a text in markdown with spaces in the place of its code.
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
			continue
		}
		b.WriteString(blank(line))
	}
	return codeSpan.ReplaceAllStringFunc(b.String(), blank)
}

// blank is as many spaces, with the ends of lines.
func blank(text string) string {
	out := bytes.Repeat([]byte{' '}, len(text))
	if strings.HasSuffix(text, "\n") {
		out[len(out)-1] = '\n'
	}
	return string(out)
}

// maxUnknown bounds how many unknown citations are kept of an answer.
const maxUnknown = 100

// cited finds the sources that the marks of a text stand for, and the citations that match no source.
func cited(marks []citing, all []agent.Citation) (known []agent.Citation, unknown []string) {
	if len(marks) == 0 {
		return nil, nil
	}
	index := map[string]int{}
	for i, c := range all {
		for _, key := range Keys(c) {
			index[key] = i
		}
	}
	taken := make([]bool, len(all))
	for _, m := range marks {
		for _, key := range m.keys {
			i, ok := index[key]
			switch {
			case ok && !taken[i]:
				taken[i] = true
				known = append(known, all[i])
			case !ok && len(unknown) < maxUnknown && !slices.Contains(unknown, key):
				unknown = append(unknown, key)
			}
		}
	}
	slices.SortFunc(known, func(a, b agent.Citation) int { return cmp.Compare(a.N, b.N) })
	return known, unknown
}
