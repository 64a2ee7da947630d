// Package docstest reads the manual for tests: its blocks, tables, links and
// the names that it mentions. It imports nothing else of this module.
package docstest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Page is one page of the manual, the README among them.
type Page struct {
	// Path is relative to the root of the module, with slashes.
	Path string
	// Prose is the text without fenced blocks; the lines keep their numbers.
	Prose  string
	Blocks []Block
}

// Block is a fenced block: ```Lang Arg.
type Block struct {
	Lang, Arg, Text string
	Line            int
}

// Table is a table; Rows has its cells without the head and the delimiter.
type Table struct {
	Head  []string
	Rows  [][]string
	Line  int
	Cells []int // of every line, head and delimiter included
}

// Root is the folder of go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			t.Fatal(err)
		}
		dir = filepath.Dir(dir)
	}
}

// Pages are the pages at the root and in docs.
func Pages(t testing.TB) []Page {
	t.Helper()
	root := Root(t)
	var pages []Page
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, read(t, root, filepath.ToSlash(name)))
		}
	}
	if len(pages) == 0 {
		t.Fatal("there is no manual")
	}
	return pages
}

// Open is one page.
func Open(t testing.TB, path string) Page {
	t.Helper()
	return read(t, Root(t), path)
}

func read(t testing.TB, root, path string) Page {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	p := parse(string(raw))
	p.Path = path
	return p
}

const fence = "```"

func parse(text string) Page {
	var p Page
	var prose strings.Builder
	var open *Block
	n := 0
	for line := range strings.Lines(text) {
		n++
		info, isFence := strings.CutPrefix(strings.TrimRight(line, "\n"), fence)
		switch {
		case isFence && open == nil:
			lang, arg, _ := strings.Cut(info, " ")
			open = &Block{Lang: lang, Arg: arg, Line: n}
		case isFence:
			p.Blocks, open = append(p.Blocks, *open), nil
		case open != nil:
			open.Text += line
		default:
			prose.WriteString(line)
			continue
		}
		prose.WriteString("\n")
	}
	p.Prose = prose.String()
	return p
}

var span = regexp.MustCompile("`([^`\n]+)`")

// Spans are the code spans of a text.
func Spans(text string) []string {
	var all []string
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(m[1], `\|`, "|"))
	}
	return all
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links are the targets of the page's links and images.
func (p Page) Links() []string {
	var all []string
	for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(p.Prose, ""), -1) {
		all = append(all, m[1])
	}
	return all
}

// Anchors are the fragments that lead to the page's headings.
func (p Page) Anchors() map[string]bool {
	all := map[string]bool{"": true}
	for line := range strings.Lines(p.Prose) {
		if level := strings.TrimLeft(line, "#"); level != line && strings.HasPrefix(level, " ") {
			all[anchor(strings.TrimSpace(level))] = true
		}
	}
	return all
}

// anchor is the fragment of a heading: lower case, words joined by hyphens,
// everything else left out.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, heading)
}

// Tables are the page's tables.
func (p Page) Tables() []Table {
	var all []Table
	var open *Table
	n := 0
	for line := range strings.Lines(p.Prose) {
		n++
		if !strings.HasPrefix(line, "|") {
			open = nil
			continue
		}
		cells := cellsOf(line)
		if open == nil {
			all = append(all, Table{Head: cells, Line: n})
			open = &all[len(all)-1]
		} else if len(open.Cells) > 1 {
			open.Rows = append(open.Rows, cells)
		}
		open.Cells = append(open.Cells, len(cells))
	}
	return all
}

// cellsOf splits a row as renderers do: at every bar that is not escaped, also
// within code.
func cellsOf(line string) []string {
	const escaped = "\x00"
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, escaped)
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.TrimSpace(part), escaped, "|")
	}
	return parts
}

// Column are the code spans in a column of all tables whose first column has
// this heading.
func (p Page) Column(heading string, column int) []string {
	var all []string
	for _, table := range p.Tables() {
		if table.Head[0] != heading {
			continue
		}
		for _, row := range table.Rows {
			if column < len(row) {
				all = append(all, Spans(row[column])...)
			}
		}
	}
	return all
}

// SameNames compares what a page lists with what the program has: nothing is
// missing, nothing is made up, nothing is listed twice.
func SameNames(t testing.TB, what string, listed, has []string) {
	t.Helper()
	if len(has) == 0 {
		t.Errorf("%s: the program has none", what)
	}
	for i, name := range listed {
		if !slices.Contains(has, name) {
			t.Errorf("%s: the page lists %s, which the program does not have", what, name)
		}
		if slices.Contains(listed[:i], name) {
			t.Errorf("%s: the page lists %s twice", what, name)
		}
	}
	for _, name := range has {
		if !slices.Contains(listed, name) {
			t.Errorf("%s: the page does not list %s", what, name)
		}
	}
}
