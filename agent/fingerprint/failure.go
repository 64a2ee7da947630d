package fingerprint

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxErrorLine bounds what is kept of the line that names an error, in characters.
const maxErrorLine = 160

// maxErrorText bounds what is read of an error, in bytes at its beginning and at its end.
const maxErrorText = 16 << 10

var (
	// coded is a line of a checker: E999, F821, TS2304, error[E0382].
	coded = regexp.MustCompile(`\b[A-Z]{1,3}\d{3,5}\b[\]:]?\s+\S`)
	// typed is an exception with its message: ValueError: no such field.
	typed = regexp.MustCompile(`\b\w*(?:Error|Exception|Fault): \S`)
	// wordy is a line that says in words that something went wrong.
	wordy = regexp.MustCompile(`(?i)\b(?:errors?|fail(?:ed|ure|s)?|fatal|cannot|can't|could not|couldn't|unable|not (?:found|enough|allowed|permitted|supported)|no such|doesn't exist|does not exist|denied|refused|invalid|illegal|unknown|undefined|unexpected|unrecognized|missing|required|timed out|usage)\b`)
	// exitStatus is the line that run_shell adds.
	exitStatus = regexp.MustCompile(`^exit code \d+$`)
)

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
		case line == "" || exitStatus.MatchString(line):
			continue
		case coded.MatchString(line):
			return clipped(line)
		case typed.MatchString(line):
			exception = line
		case wordy.MatchString(line):
			words = line
		}
		last = line
	}
	for _, line := range []string{exception, words, last} {
		if line != "" {
			return clipped(line)
		}
	}
	return ""
}

func clipped(line string) string {
	line = strings.ToValidUTF8(strings.Join(strings.Fields(line), " "), "\uFFFD")
	if utf8.RuneCountInString(line) <= maxErrorLine {
		return line
	}
	return string([]rune(line)[:maxErrorLine]) + "…"
}

// changing is what may differ between two lines that name the same error.
var changing = regexp.MustCompile(`(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]+)+[/\\]?|\b0x[0-9a-fA-F]+\b|\d+`)

// Error identifies an error by the line that names it, its paths and numbers aside;
// "" for none.
func Error(line string) string {
	if line == "" {
		return ""
	}
	return digest([]byte(changing.ReplaceAllString(scrub(line), "·")))
}
