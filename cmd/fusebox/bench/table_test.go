package bench

import (
	"strings"
	"testing"
)

// TestTable: columns are aligned, and a line that the earlier result lacks has no ratio.
func TestTable(t *testing.T) {
	t.Parallel()
	now := Result{
		Machine: Machine{OS: "linux", Arch: "amd64", CPUs: 2, Go: "go1.26", Program: "v2", Commit: "0123456789abcdef"}, Endpoint: "built-in",
		Lines: []Line{
			{ID: "a", Name: "Deltas, 1 run", Unit: "1/s", More: true, Value: 123_456.7, Low: 99_000, High: 1_200_000, Samples: 7},
			{ID: "b", Name: "First delta", Unit: "ms", Value: 0.12345, P95: 1.5, P99: 12.25, Low: -0.05, High: 64, Samples: 200},
			{ID: "c", Name: "New", Unit: "µs", Value: 3, Low: 3, High: 3, Samples: 1},
		},
		Notes: []string{"A note."},
	}
	earlier := Result{Machine: Machine{OS: "linux", Arch: "arm64", CPUs: 4, Go: "go1.25", Program: "v1"}, Lines: []Line{{ID: "a", Value: 61_728.35}, {ID: "b", Value: 0.06}}}
	const want = `fusebox v2 (0123456789ab), go1.26, linux/amd64, 2 CPUs, endpoint: built-in
earlier: fusebox v1, go1.25, linux/arm64, 4 CPUs

                median  unit   p95   p99   lowest    highest  samples  earlier  ratio
Deltas, 1 run  123,457  1/s      -     -   99,000  1,200,000        7   61,728   2.00  better
First delta      0.123  ms    1.50  12.2  -0.0500         64      200   0.0600   2.06  worse
New                  3  µs       -     -        3          3        1        -      -  -

A note.
`
	var got strings.Builder
	if err := Compare(now, earlier).Print(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ratio float64
		more  bool
		want  string
	}{{1.04, true, "same"}, {0.96, false, "same"}, {1.2, true, "better"}, {1.2, false, "worse"}, {0.8, true, "worse"}, {0.8, false, "better"}} {
		if got := verdict(tc.ratio, tc.more); got != tc.want {
			t.Errorf("%v, more is better: %v: %s, want %s", tc.ratio, tc.more, got, tc.want)
		}
	}
}

func TestPercentiles(t *testing.T) {
	t.Parallel()
	var s samples
	for i := range 100 {
		s = append(s, float64((i*37)%100+1)) // 1 to 100
	}
	if l := s.line("x", "X", "ms"); l.Value != 50 || l.P95 != 95 || l.P99 != 99 || l.Low != 1 || l.High != 100 || l.Samples != 100 {
		t.Errorf("%+v", l)
	}
	if l := s[:3].line("x", "X", "ms"); l.Value != 38 || l.P95 != 0 || l.Samples != 3 {
		t.Errorf("three samples: %+v", l)
	}
}

// TestWordsDiffer: no breaker may take the text for a repetition.
func TestWordsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, w := range words(3 * vocabulary) {
		if seen[w] || strings.Count(w, " ") != 1 {
			t.Fatalf("the word %q", w)
		}
		seen[w] = true
	}
}
