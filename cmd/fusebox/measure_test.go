package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
	"fusebox/agent/retrieval"
)

// TestMeasureQuick: of a part of the corpus, what has an answer is found as well as it was.
func TestMeasureQuick(t *testing.T) {
	t.Parallel()
	holdFigures(t, map[string]floor{
		"words answered": {0.65, 0.65}, "words, again answered": {0.96, 0.96}, "both answered": {0.65, 0.63},
		"words unanswered": {1, 0}, "words, again unanswered": {0.9, 0}, "both unanswered": {1, 0},
	}, "--quick")
}

// TestMeasureAll is TestMeasureQuick with all of the corpus, whose figures are in the manual.
func TestMeasureAll(t *testing.T) {
	agenttest.NeedsFull(t, "it takes ten seconds")
	t.Parallel()
	m := holdFigures(t, map[string]floor{
		"words answered": {0.69, 0.68}, "words, again answered": {0.92, 0.91}, "both answered": {0.69, 0.66},
		"words unanswered": {0.9, 0}, "words, again unanswered": {0.8, 0}, "both unanswered": {0.82, 0},
		"words own en": {1, 0.99}, "words own zh": {1, 0.99}, "words number en": {1, 0.99}, "words number zh": {1, 0.99},
		"words table en": {1, 0.99}, "words table zh": {1, 0.99}, "words similar en": {1, 0.99}, "words similar zh": {1, 0.99},
		"words version en": {1, 0.99}, "words version zh": {0.87, 0.87}, "words short zh": {1, 0.92}, "words traditional zh": {0.88, 0.88},
	})
	var table strings.Builder
	must(t, retrieval.Print(&table, m.Figures, []retrieval.Way{{Name: "words"}, {Name: "words, again"}, {Name: "vectors"}, {Name: "both"}}))
	manual, err := os.ReadFile("../../docs/documents.md")
	must(t, err)
	if !strings.Contains(string(manual), table.String()) {
		t.Errorf("docs/documents.md has other figures than:\n%s", table.String())
	}
}

// floor is what figures may not be below.
type floor struct{ right, mrr float64 }

// holdFigures measures and compares, by the names of ways, kinds, and languages.
func holdFigures(t *testing.T, floors map[string]floor, flags ...string) measured {
	t.Helper()
	status, out, said := inProcess(t, t.TempDir(), "", append([]string{"measure", "--json"}, flags...)...)
	var m measured
	if err := json.Unmarshal([]byte(out), &m); status != 0 || err != nil {
		t.Fatalf("status %d, error %v: %s", status, err, said)
	}
	floors = maps.Clone(floors)
	for _, f := range m.Figures {
		name := strings.TrimSpace(f.Way + " " + f.Kind + " " + f.Language)
		if low, ok := floors[name]; ok && (f.Right < low.right || f.MRR < low.mrr) {
			t.Errorf("%s: %.3f of %d, MRR %.3f, want at least %v", name, f.Right, f.Questions, f.MRR, low)
		}
		delete(floors, name)
	}
	for name := range floors {
		t.Errorf("%s: it is not measured", name)
	}
	if t.Failed() {
		for _, q := range m.Missed {
			t.Logf("%s: %s\n  want  %q\n  found %q", q.Way, q.Question, q.Want, q.Found)
		}
	}
	return m
}

// TestMeasureOwn: somebody's own files are measured through the readers, those in folders by
// their paths or names, and what is not answered right is listed.
func TestMeasureOwn(t *testing.T) {
	t.Parallel()
	dir, questions := t.TempDir(), filepath.Join(t.TempDir(), "questions.jsonl")
	must(t, os.Mkdir(filepath.Join(dir, "plant"), 0o700))
	for name, text := range map[string]string{
		"plant/pump.md":  "# Pump 7\n\nIts breaker trips at 16 A.",
		"prices.csv":     "part,price\nseal,3.40\nvalve,12.80\n",
		".hidden/pin.md": "The secret pin is 4711.",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	must(t, os.WriteFile(questions, []byte(`{"question":"When does the breaker of pump 7 trip?","document":"pump.md","answer":"16 A"}
{"question":"What is the price of a valve?","document":"prices.csv","answer":"12.80"}
{"question":"What is the secret pin?","document":""}
{"question":"Which breaker has the pump?","document":"prices.csv"}
`), 0o600))
	status, out, said := inProcess(t, t.TempDir(), "", "measure", "--documents", dir, "--questions", questions)
	if status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	for _, want := range []string{"4 questions about 2 documents in 2 passages\n", "words: Which breaker has the pump?\n  want  [\"prices.csv\"]\n  found [\"plant/pump.md\"]\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "valve?") || strings.Contains(out, "pin?") {
		t.Errorf("what is answered right is listed:\n%s", out)
	}
}

// TestMeasureModel: the model of the configuration embeds somebody's own files, and the documents
// that come with the program, only where that is agreed to.
func TestMeasureModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	questions, settings := filepath.Join(t.TempDir(), "questions.jsonl"), filepath.Join(t.TempDir(), "fusebox.toml")
	must(t, os.WriteFile(filepath.Join(dir, "pump.md"), []byte("The breaker of pump 7 trips at 16 A."), 0o600))
	must(t, os.WriteFile(questions, []byte(`{"question":"When does the breaker trip?","document":"pump.md"}`), 0o600))
	must(t, os.WriteFile(settings, []byte("[knowledge]\nembedding_model = \"demo-embedding\"\n"), 0o600))
	args := []string{"measure", "--documents", dir, "--questions", questions, "-config", settings}
	status, out, said := inProcess(t, t.TempDir(), "", args...)
	if status != 0 || !strings.Contains(said, "with demo-embedding, about ") || strings.Contains(out, "vectors: FIRST 3") {
		t.Errorf("without --yes: status %d\n%s%s", status, said, out)
	}
	status, out, said = inProcess(t, t.TempDir(), "", append(args, "--yes")...)
	if status != 0 || !strings.Contains(out, "1 passages, embedded by demo-embedding\n") || !strings.Contains(out, "vectors: FIRST 3") {
		t.Errorf("with --yes: status %d\n%s%s", status, said, out)
	}
}

// TestMeasureRefuses: what is wrong with the arguments and the questions is said, with the line
// and the field.
func TestMeasureRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		return filepath.Join(dir, name)
	}
	bad, absent := write("bad.jsonl", `{"question":7,"document":""}`), write("absent.jsonl", `{"question":"a","document":"b.md"}`)
	for want, args := range map[string][]string{
		"flags --documents and --questions belong together":   {"--documents", dir},
		"flag --quick: it is for":                             {"--quick", "--documents", dir, "--questions", bad},
		`unexpected argument "here"`:                          {"here"},
		"flag --questions: open":                              {"--documents", dir, "--questions", filepath.Join(dir, "none")},
		`bad.jsonl: line 1: field "question": it is a number`: {"--documents", dir, "--questions", bad},
		`field "document": there is no file "b.md"`:           {"--documents", dir, "--questions", absent},
	} {
		if status, _, said := inProcess(t, t.TempDir(), "", append([]string{"measure"}, args...)...); status != exitUsage || !strings.Contains(said, want) {
			t.Errorf("%q: status %d: %s; want %q", args, status, said, want)
		}
	}
}
