package present

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/views/part"
	"fusebox/views/text"
)

// A change names its file once, and in words what is done to it; lines of the file that
// look like such names stay.
func TestDiffNamesItsFileOnce(t *testing.T) {
	t.Parallel()
	english := text.For("en")
	at := func(s string) part.DiffLine { return part.DiffLine{Sign: "@", Text: s} }
	for name, row := range map[string]struct {
		diff string
		want []part.DiffLine
	}{
		"changed": {"--- a/n.txt\n+++ b/n.txt\n@@ -1 +1 @@\n-x\n+y\n", []part.DiffLine{at("n.txt"), at("@@ -1 +1 @@"), {Sign: "-", Text: "x"}, {Sign: "+", Text: "y"}}},
		"new":     {"--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+y\n", []part.DiffLine{at("n.txt (new)"), at("@@ -0,0 +1 @@"), {Sign: "+", Text: "y"}}},
		"deleted": {"--- a/n.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", []part.DiffLine{at("n.txt (gone)"), at("@@ -1 +0,0 @@"), {Sign: "-", Text: "x"}}},
		"renamed": {"--- a/n.txt\n+++ b/m.txt\n@@ -1 +1 @@\n-x\n+y\n", []part.DiffLine{at("n.txt → m.txt"), at("@@ -1 +1 @@"), {Sign: "-", Text: "x"}, {Sign: "+", Text: "y"}}},
		"lines with such signs": {"--- a/q.sql\n+++ b/q.sql\n@@ -1 +1 @@\n--- note\n+++ i\n", []part.DiffLine{
			at("q.sql"), at("@@ -1 +1 @@"), {Sign: "-", Text: "-- note"}, {Sign: "+", Text: "++ i"},
		}},
		"no places": {"--- x\n", []part.DiffLine{{Sign: "-", Text: "-- x"}}},
	} {
		if diff := cmp.Diff(row.want, DiffLines(english, row.diff)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
