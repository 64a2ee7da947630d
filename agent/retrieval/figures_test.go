package retrieval_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/retrieval"
)

// TestMeasure: the share that is answered by the first three, and the mean of 1/rank, by kinds
// and languages, in each way.
func TestMeasure(t *testing.T) {
	t.Parallel()
	questions := []retrieval.Question{
		{Text: "first", Documents: []string{"a"}, Kind: "own"},
		{Text: "fourth", Documents: []string{"a"}, Kind: "own"},
		{Text: "第二", Documents: []string{"b", "a"}, Answer: "16 A", Kind: "own"},
		{Text: "none", Kind: retrieval.Nothing},
		{Text: "some", Kind: retrieval.Nothing},
	}
	hit := func(document string) retrieval.Hit {
		return retrieval.Hit{Document: document, Text: "the fuse has 16 A"}
	}
	all := map[string][]retrieval.Hit{
		"first": {hit("a")}, "fourth": {hit("b"), hit("c"), hit("d"), hit("a")}, "第二": {{Document: "a", Text: "10 A"}, hit("a")}, "some": {hit("a")},
	}
	ways := []retrieval.Way{
		{Name: "words", Find: func(_ context.Context, question string) ([]retrieval.Hit, error) { return all[question], nil }},
		{Name: "nothing", Find: func(context.Context, string) ([]retrieval.Hit, error) { return nil, nil }},
	}
	var missed []string
	figures, err := retrieval.Measure(t.Context(), questions, ways, func(way string, q retrieval.Question, _ []retrieval.Hit) {
		missed = append(missed, way+": "+q.Text)
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"words: fourth", "words: some", "nothing: first", "nothing: fourth", "nothing: 第二"}, missed); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
	var table strings.Builder
	if err := retrieval.Print(&table, figures, ways); err != nil {
		t.Fatal(err)
	}
	want := `KIND        LANGUAGE  QUESTIONS  words: FIRST 3  MRR   nothing: FIRST 3  MRR
nothing     en        2          50 %            -     100 %             -
own         en        2          50 %            0.62  0 %               0.00
own         zh        1          100 %           0.50  0 %               0.00
answered    all       3          67 %            0.58  0 %               0.00
unanswered  all       2          50 %            -     100 %             -
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
