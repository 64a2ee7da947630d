package docstest

import (
	"slices"
	"testing"
)

// SameNames compares what a page lists with what the program has: nothing is
// missing, nothing is made up, nothing is listed twice.
func SameNames(t testing.TB, what string, listed, has []string) {
	t.Helper()
	if len(has) == 0 {
		t.Errorf("%s: the program has none", what)
	}
	for i, name := range listed {
		if !slices.Contains(has, name) {
			t.Errorf("%s: the page lists %s, which the program does not have", what, name)
		}
		if slices.Contains(listed[:i], name) {
			t.Errorf("%s: the page lists %s twice", what, name)
		}
	}
	for _, name := range has {
		if !slices.Contains(listed, name) {
			t.Errorf("%s: the page does not list %s", what, name)
		}
	}
}
