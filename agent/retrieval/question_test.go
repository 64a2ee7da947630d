package retrieval_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/retrieval"
)

func TestReadQuestions(t *testing.T) {
	t.Parallel()
	got, err := retrieval.ReadQuestions(strings.NewReader("\ufeff" + `{"question":"Which fuse?","document":"a.md","answer":"16 A","kind":"own"}

{"question":"几点关门？","document":["a.md","b.md"]}
{"question":"Who?","document":""}
`))
	want := []retrieval.Question{
		{Text: "Which fuse?", Documents: []string{"a.md"}, Answer: "16 A", Kind: "own"},
		{Text: "几点关门？", Documents: []string{"a.md", "b.md"}},
		{Text: "Who?", Documents: []string{}, Kind: retrieval.Nothing},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// TestReadQuestionsErrors: they name the line and the field.
func TestReadQuestionsErrors(t *testing.T) {
	t.Parallel()
	good := `{"question":"Which fuse?","document":"a.md"}` + "\n"
	for lines, want := range map[string]string{
		"":                                            "there is no question",
		good + `{"question":7,"document":""}`:         `line 2: field "question": it is a number, not a text`,
		good + "\n" + `{"question":"a"`:               "line 3: unexpected EOF",
		`{"question":"a","document":{}}`:              `line 1: field "document": it is neither a name nor a list of names`,
		`{"question":"a","dokument":""}`:              `line 1: unknown field "dokument"`,
		`{"question":" ","document":""}`:              `line 1: field "question": it has no word`,
		`{"question":"a"}`:                            `line 1: field "document": it is missing; "" says that nothing answers`,
		`{"question":"a","document":"","answer":"b"}`: `line 1: field "answer": no document is named that has it`,
		good + strings.Repeat("x", 70_000):            "line 2: it is longer than 65536 bytes",
		strings.Repeat(good, 10_001):                  "line 10001: there are more than 10000 questions",
	} {
		if _, err := retrieval.ReadQuestions(strings.NewReader(lines)); err == nil || err.Error() != want {
			t.Errorf("%.60q: got %v, want %s", lines, err, want)
		}
	}
}
