package web

import (
	"strings"
	"unicode/utf8"
)

// clip shortens a text to one line of n characters at most.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s[:min(len(s), 16*n)]), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// plural counts things: 1 run, 2 runs.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return tokens(n) + " " + many
}
