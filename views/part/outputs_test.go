package part

import (
	"strings"
	"testing"
)

// TestOutputTable: the column that says what outputs are for is there if one says it.
func TestOutputTable(t *testing.T) {
	t.Parallel()
	for purpose, want := range map[string]bool{"": false, "for the report": true} {
		var b strings.Builder
		rows := []Output{{Name: "city", Type: "string", Value: "Paris", For: purpose}, {Name: "days", Type: "integer", Missing: true}}
		if err := OutputTable(Outputs{ID: "o", Rows: rows}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "What for") != want || !strings.Contains(b.String(), "Paris") || purpose != "" && !strings.Contains(b.String(), purpose) {
			t.Errorf("%q: %s", purpose, b.String())
		}
	}
}
