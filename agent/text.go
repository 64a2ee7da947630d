package agent

import (
	"strings"
	"unicode/utf8"
)

// Clip shortens a text to one line of at most n characters, the last of which
// is an ellipsis where something was left out.
func Clip(s string, n int) string {
	s = strings.Join(strings.Fields(s[:min(len(s), 16*n)]), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
