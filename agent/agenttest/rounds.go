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
	text := os.Getenv(variable)
	if text == "" {
		return Part(usual)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: want a number of at least 1", variable, text)
	}
	return n
}
