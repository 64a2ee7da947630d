package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// growthTable is what something costs at several sizes. The first column is the one
// that the picture shows.
type growthTable struct {
	title   string
	columns []growthColumn
	rows    []growthRow
}

// growthColumn is a kind of cost; its ratio is to the first row.
type growthColumn struct {
	head, unit string
	ratio      bool
}

type growthRow struct {
	label  string
	values []float64
}

func (t *growthTable) add(label string, values ...float64) {
	t.rows = append(t.rows, growthRow{label, values})
}

// grouped is a whole number with its digits in groups of three.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// shown is a value with its unit, as exactly as it can be measured.
func (c growthColumn) shown(v float64) string {
	if v < 20 && c.unit != "" {
		return strings.TrimSpace(strconv.FormatFloat(v, 'f', 1, 64) + " " + c.unit)
	}
	return strings.TrimSpace(grouped(int(v+0.5)) + " " + c.unit)
}

// growthMarkdown are the tables as the manual has them.
func growthMarkdown(tables []growthTable) string {
	var out strings.Builder
	for i, t := range tables {
		if i > 0 {
			out.WriteString("\n")
		}
		head := []string{t.title}
		for _, c := range t.columns {
			if head = append(head, c.head); c.ratio {
				head = append(head, "Ratio")
			}
		}
		line(&out, head)
		line(&out, strings.Fields(strings.Repeat("--- ", len(head))))
		for _, r := range t.rows {
			line(&out, t.cells(r))
		}
	}
	return out.String()
}

func line(out *strings.Builder, cells []string) {
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}

func (t *growthTable) cells(r growthRow) []string {
	cells := []string{r.label}
	for i, c := range t.columns {
		if cells = append(cells, c.shown(r.values[i])); c.ratio {
			cells = append(cells, strconv.FormatFloat(r.values[i]/t.rows[0].values[i], 'f', 2, 64))
		}
	}
	return cells
}

// The marks between which the manual's page has the tables.
const growthBegin, growthEnd = "<!-- growth: written by BenchmarkGrowth -->\n", "<!-- growth ends -->\n"

// writeGrowth writes the tables and their picture into the manual.
func writeGrowth(docs string, tables []growthTable) error {
	file := filepath.Join(docs, "performance.md")
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begins := bytes.Cut(page, []byte(growthBegin))
	_, after, ends := bytes.Cut(rest, []byte(growthEnd))
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the tables", file)
	}
	page = fmt.Appendf(nil, "%s%s\n%s\n%s%s", before, growthBegin, growthMarkdown(tables), growthEnd, after)
	if err := os.WriteFile(file, page, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, "growth.svg"), []byte(growthPicture(tables)), 0o644)
}

// TestGrowthIsWritten: tables replace those that are between the marks, and nothing else.
func TestGrowthIsWritten(t *testing.T) {
	t.Parallel()
	docs := t.TempDir()
	file := filepath.Join(docs, "performance.md")
	must(t, os.WriteFile(file, []byte("Before.\n"+growthBegin+"old\n"+growthEnd+"After.\n"), 0o600))
	steps := growthTable{title: "Steps of a run", columns: []growthColumn{{"CPU a step", "ms", true}, {"Memory & more", "MB", false}}}
	steps.add("20", 2, 40.4)
	steps.add("1,000", 3.14, 1234.5)
	for range 2 {
		must(t, writeGrowth(docs, []growthTable{steps}))
	}
	page, err := os.ReadFile(file)
	must(t, err)
	const want = "Before.\n" + growthBegin + `
| Steps of a run | CPU a step | Ratio | Memory & more |
| --- | --- | --- | --- |
| 20 | 2.0 ms | 1.00 | 40 MB |
| 1,000 | 3.1 ms | 1.57 | 1,235 MB |

` + growthEnd + "After.\n"
	if string(page) != want {
		t.Errorf("got\n%s\nwant\n%s", page, want)
	}
	picture, err := os.ReadFile(filepath.Join(docs, "growth.svg"))
	must(t, err)
	for _, text := range []string{">Steps of a run<", ">CPU a step<", ">1,000<", ">3.1 ms<"} {
		if !strings.Contains(string(picture), text) {
			t.Errorf("%s is missing in\n%s", text, picture)
		}
	}
}
