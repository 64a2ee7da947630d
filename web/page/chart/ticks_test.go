package chart

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/views/text"
)

// TestTicksDiffer: lines of a chart that are labelled alike cannot be told apart.
func TestTicksDiffer(t *testing.T) {
	t.Parallel()
	want := []string{"$0.016", "$0.012", "$0.008", "$0.004", "$0.000"}
	if diff := cmp.Diff(want, Cost.Ticks(text.For("en"), NiceCeiling(14_000))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"$8.00", "$6.00", "$4.00", "$2.00", "$0.00"}, Cost.Ticks(text.For("en"), 8_000_000)); diff != "" {
		t.Error(diff)
	}
	for _, m := range []Measure{Cost, Tokens} {
		for v := int64(4); v < 1_000_000_000_000; v = v*3/2 + 1 {
			for _, tr := range []*text.Printer{text.For("en"), text.For("zh")} {
				ticks := m.Ticks(tr, NiceCeiling(v))
				if len(slices.Compact(slices.Clone(ticks))) != len(ticks) {
					t.Errorf("%s up to %d: %v", m.Name, v, ticks)
				}
			}
		}
	}
}
