package retrieval_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/retrieval"
)

// TestCorpus: it is large enough, in both languages, the same each time, and each question is
// answered by what a document says at last, and by nothing where it has no answer.
func TestCorpus(t *testing.T) {
	t.Parallel()
	c, err := retrieval.New(1)
	if err != nil {
		t.Fatal(err)
	}
	last, chinese := map[string]string{}, 0
	for _, d := range c.Documents {
		if last[d.Name] != "" {
			t.Errorf("two documents are called %q", d.Name)
		}
		last[d.Name] = d.Versions[len(d.Versions)-1]
		if (retrieval.Question{Text: last[d.Name]}).Language() == "zh" {
			chinese++
		}
	}
	if n := len(c.Documents); n < 1000 || chinese < n*2/5 || chinese > n*3/5 {
		t.Errorf("%d of %d documents are Chinese, want half of at least 1000", chinese, n)
	}
	nothing, texts := 0, map[string]bool{}
	for _, q := range c.Questions {
		if texts[q.Text] {
			t.Errorf("%q is asked twice", q.Text)
		}
		texts[q.Text] = true
		if len(q.Documents) == 0 {
			nothing++
			continue
		}
		for _, name := range q.Documents {
			text := strings.ReplaceAll(last[name], ",", " | ") // as tables are read
			if !strings.Contains(last[name], q.Answer) && !strings.Contains(text, q.Answer) {
				t.Errorf("%q: %q does not say %q", q.Text, name, q.Answer)
			}
		}
	}
	if n := len(c.Questions); n < 200 || nothing < 30 {
		t.Errorf("nothing answers %d of %d questions, want at least 30 of 200", nothing, n)
	}
	again, err := retrieval.New(1)
	if diff := cmp.Diff(c, again); diff != "" || err != nil {
		t.Errorf("it is not the same again: %v (-first +again)\n%s", err, diff)
	}
}

// TestAgain: a question is asked once more, in other words, only where nothing is found.
func TestAgain(t *testing.T) {
	t.Parallel()
	var asked []string
	way := retrieval.Way{Name: "words", Find: func(_ context.Context, question string) ([]retrieval.Hit, error) {
		asked = append(asked, question)
		if strings.Contains(question, "forklift") {
			return []retrieval.Hit{{Document: "Forklift.md"}}, nil
		}
		return nil, nil
	}}.Again()
	for _, question := range []string{"叉车后轮胎压是多少？", "How heavy is the forklift?", "Who is that?"} {
		if _, err := way.Find(t.Context(), question); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"叉车后轮胎压是多少？", "forklift rear tyre pressure", "How heavy is the forklift?", "Who is that?"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
