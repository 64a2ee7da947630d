package retrieval

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Document is a file of the corpus. Its last version answers.
type Document struct {
	Name     string
	Versions []string
}

// Corpus is documents in two languages, and questions about them.
type Corpus struct {
	Documents []Document
	Questions []Question
}

// The facts and questions are written by hand, as is what documents are filled with.
//
//go:embed corpus
var files embed.FS

// fact is what one document says, or each of a family of documents that differ in the values
// of their rows. The first value of a row is its name.
type fact struct {
	Name, Text string
	// Before is what an earlier version said.
	Before string
	Rows   [][]string
	// Questions are their kinds, texts, and answers, and in a family the names of their rows.
	Questions [][]string `json:"q"`
}

// New makes one part in so many of the corpus, the same each time: 1 is all of it. It has thrice
// as many of the questions that nothing answers, which are few.
func New(part int) (Corpus, error) {
	c := Corpus{}
	fill, err := newFilling()
	if err != nil {
		return c, err
	}
	for _, language := range []string{"en", "zh"} {
		facts, err := linesOf[fact]("facts." + language + ".jsonl")
		if err != nil {
			return c, err
		}
		for i := 0; i < len(facts); i += part {
			c.addFact(facts[i], language, fill)
		}
	}
	c.Documents = append(c.Documents, fill.documents(part)...)
	nothing, err := files.ReadFile("corpus/nothing.jsonl")
	if err != nil {
		return c, err
	}
	i := 0
	for line := range bytes.Lines(nothing) {
		q, err := readQuestion(line)
		if err != nil {
			return c, fmt.Errorf("nothing.jsonl: %w", err)
		}
		if i++; i%max(1, part/3) == 0 {
			c.Questions = append(c.Questions, q)
		}
	}
	return c, nil
}

func (c *Corpus) addFact(f fact, language string, fill *filling) {
	rows := f.Rows
	if len(rows) == 0 {
		rows = [][]string{{""}}
	}
	names := map[string]string{}
	for _, row := range rows {
		d := Document{Name: f.filled(f.Name, row)}
		names[row[0]] = d.Name
		for _, text := range []string{f.Before, f.Text} {
			if text != "" {
				d.Versions = append(d.Versions, fill.around(d.Name, f.filled(text, row), language))
			}
		}
		c.Documents = append(c.Documents, d)
	}
	for _, q := range f.Questions {
		row := ""
		if len(q) > 3 {
			row = q[3]
		}
		answer := q[2]
		if path.Ext(f.Name) == ".csv" {
			answer = strings.ReplaceAll(answer, ",", " | ") // as tables are read
		}
		c.Questions = append(c.Questions, Question{q[1], []string{names[row]}, answer, q[0]})
	}
}

func (f fact) filled(text string, row []string) string {
	for i, value := range row {
		text = strings.ReplaceAll(text, "{"+strconv.Itoa(i)+"}", strings.TrimSpace(value))
	}
	return text
}

// again are questions of the corpus as they are asked once more: translated or put otherwise by
// somebody who does not know the documents.
var again = sync.OnceValue(func() map[string]string {
	lines, err := linesOf[struct{ Question, Again string }]("again.jsonl")
	if err != nil {
		panic(err) // it is part of the program
	}
	all := map[string]string{}
	for _, l := range lines {
		all[l.Question] = l.Again
	}
	return all
})

// linesOf reads a file of JSON lines.
func linesOf[T any](name string) (all []T, err error) {
	content, err := files.ReadFile("corpus/" + name)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, len(all)+1, err)
		}
		all = append(all, v)
	}
	return slices.Clip(all), lines.Err()
}
