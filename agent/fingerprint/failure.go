package fingerprint

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxErrorLine bounds what is kept of the line that names an error, in characters.
const maxErrorLine = 160

// maxErrorText bounds what is read of an error, in bytes at its beginning and at its end.
const maxErrorText = 4 << 10

var (
	// coded is a line of a checker: E999, F821, TS2304, error[E0382].
	coded = regexp.MustCompile(`\b[A-Z]{1,3}\d{3,5}\b[\]:]?\s+\S`)
	// typed is an exception with its message: ValueError: no such field.
	typed = regexp.MustCompile(`\b\w*(?:Error|Exception|Fault): \S`)
	// exitStatus is the line that run_shell adds.
	exitStatus = regexp.MustCompile(`^exit code \d+$`)
)

// failing are words of lines that say that something went wrong, in lower case.
var failing = []string{
	"error", "fail", "fatal", "cannot", "can't", "could not", "couldn't", "unable", "not found", "not enough", "not allowed", "not permitted",
	"not supported", "no such", "doesn't exist", "does not exist", "denied", "refused", "invalid", "illegal", "unknown", "undefined",
	"unexpected", "unrecognized", "missing", "required", "timed out", "usage",
}

// isCoded looks for what is rare first, as ErrorLine does: errors can be long.
func isCoded(line string) bool {
	return strings.ContainsAny(line, "0123456789") && strings.ContainsAny(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && coded.MatchString(line)
}

func isWordy(line string) bool {
	lower := strings.ToLower(line)
	return slices.ContainsFunc(failing, func(word string) bool { return strings.Contains(lower, word) })
}

// ErrorLine is the line of an error that says what went wrong: the first one of a
// checker, else the last exception, else the last one with a word for a failure,
// else the last one. "" for an error without text.
func ErrorLine(text string) string {
	if len(text) > 2*maxErrorText {
		text = text[:maxErrorText] + "\n" + text[len(text)-maxErrorText:]
	}
	var exception, words, last string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "exit code ") && exitStatus.MatchString(line):
			continue
		case isCoded(line):
			return clipped(line)
		case strings.Contains(line, ": ") && typed.MatchString(line):
			exception = line
		case isWordy(line):
			words = line
		}
		last = line
	}
	return clipped(cmp.Or(exception, words, last))
}

func clipped(line string) string {
	line = strings.ToValidUTF8(strings.Join(strings.Fields(line), " "), "\uFFFD")
	if utf8.RuneCountInString(line) <= maxErrorLine {
		return line
	}
	return string([]rune(line)[:maxErrorLine]) + "…"
}

// changing is what may differ between two lines that name the same error.
var changing = regexp.MustCompile(`(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]+)+[/\\]?|\b0x[0-9a-fA-F]+\b|\d+(?::\d+)*`)

// Error identifies an error by the line that names it: paths and numbers aside, and
// what it quotes of the call's own arguments, a JSON object. "" for no line.
func Error(line, args string) string {
	if line == "" {
		return ""
	}
	line = scrub(line)
	for _, value := range quotable(args) {
		line = replaceWord(line, value)
	}
	return digest([]byte(changing.ReplaceAllString(line, "·")))
}

// maxQuotable bounds the values of arguments that an error is searched for, in bytes.
const maxQuotable = maxErrorLine

// quotable are the short texts among arguments, the longest first.
func quotable(args string) (values []string) {
	var named map[string]any
	if json.Unmarshal([]byte(args), &named) != nil {
		return nil
	}
	for _, v := range named {
		if text, ok := v.(string); ok && text != "" && len(text) <= maxQuotable {
			values = append(values, text)
		}
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return values
}

// replaceWord marks a text where it is not a part of a longer word.
func replaceWord(line, word string) string {
	var b strings.Builder
	for {
		at := strings.Index(line, word)
		if at < 0 {
			return b.String() + line
		}
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(word):])
		b.WriteString(line[:at])
		if isWord(before) || isWord(after) {
			b.WriteString(word)
		} else {
			b.WriteString("·")
		}
		line = line[at+len(word):]
	}
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// Ink identifies the arguments of a call, a JSON object, by everything in them but
// their white space.
func Ink(args string) string {
	v, ok := ParseJSON(args)
	if !ok {
		return digest([]byte(strings.Join(strings.Fields(args), "")))
	}
	return digest(canonical(eachLeaf(v, func(v any) any {
		if text, ok := v.(string); ok {
			return strings.Join(strings.Fields(text), "")
		}
		return v
	})))
}
