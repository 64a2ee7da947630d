package passages_test

import (
	"strings"
	"testing"

	"fusebox/store/passages"
	"fusebox/store/storetest"
)

// TestVectorsAreFound: those of a collection are read by an index, and no others.
func TestVectorsAreFound(t *testing.T) {
	t.Parallel()
	plan := storetest.Plan(t, passages.VectorsOf, "[1]", 1)
	for _, want := range []string{"SEARCH p USING COVERING INDEX passages_vector_model (vector_model=? AND scope=?)", "SEARCH v USING INTEGER PRIMARY KEY (rowid=?)"} {
		if !strings.Contains(plan, want) {
			t.Errorf("it is done by\n%s\nwant %s", plan, want)
		}
	}
}
