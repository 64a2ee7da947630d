package agenttest

import (
	"os"
	"strconv"
	"testing"
)

// Rounds is how often a test does something: the number in an environment variable,
// else the usual one, or the part of it that is asked for.
func Rounds(t testing.TB, variable string, usual int) int {
	t.Helper()
	return FewOrMany(t, variable, Part(usual), usual)
}

// FewOrMany is Rounds for what is costly: many where everything is asked for, else few.
func FewOrMany(t testing.TB, variable string, few, many int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" && Full() {
		return many
	}
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: want a number of at least 1", variable, text)
	}
	return n
}
