package main

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fusebox/cmd/fusebox/docstest"
)

// readmeLimit keeps the README an overview.
const readmeLimit = 8 << 10

func TestDocsReadme(t *testing.T) {
	t.Parallel()
	info, err := os.Stat(filepath.Join(docstest.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > readmeLimit {
		t.Errorf("README.md has %d bytes, more than %d: move details to docs/", info.Size(), readmeLimit)
	}
}

// TestDocsLinks: every relative link leads to a file of the repository, and its
// fragment to a heading.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	anchors := map[string]map[string]bool{}
	for _, page := range docstest.Pages(t) {
		anchors[page.Path] = page.Anchors()
	}
	for _, page := range docstest.Pages(t) {
		for _, link := range page.Links() {
			if strings.Contains(link, "://") {
				continue
			}
			file, fragment, _ := strings.Cut(link, "#")
			target := page.Path
			if file != "" {
				target = path.Join(path.Dir(page.Path), file)
			}
			if _, err := os.Stat(filepath.Join(docstest.Root(t), target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page.Path, link)
			} else if fragment != "" && !anchors[target][fragment] {
				t.Errorf("%s: the link %s leads to no heading", page.Path, link)
			}
		}
	}
}

// TestDocsTablesAreWhole: every row has as many cells as its table's head, and
// none stands twice.
func TestDocsTablesAreWhole(t *testing.T) {
	t.Parallel()
	for _, page := range docstest.Pages(t) {
		for _, table := range page.Tables() {
			for i, n := range table.Cells {
				if n != len(table.Head) {
					t.Errorf("%s:%d: %d cells, the head has %d", page.Path, table.Line+i, n, len(table.Head))
				}
			}
			for i, row := range table.Rows {
				if slices.ContainsFunc(table.Rows[:i], func(before []string) bool { return slices.Equal(before, row) }) {
					t.Errorf("%s:%d: this row stands twice", page.Path, table.Line+2+i)
				}
			}
		}
	}
}

// TestDocsIndex: both indexes lead to every page of the manual.
func TestDocsIndex(t *testing.T) {
	t.Parallel()
	overview, index := docstest.Open(t, "README.md").Links(), docstest.Open(t, "docs/README.md").Links()
	for _, page := range docstest.Pages(t) {
		name, inDocs := strings.CutPrefix(page.Path, "docs/")
		if !inDocs || name == "README.md" {
			continue
		}
		if !slices.Contains(overview, page.Path) {
			t.Errorf("README.md does not lead to %s", page.Path)
		}
		if !slices.Contains(index, name) {
			t.Errorf("docs/README.md does not lead to %s", page.Path)
		}
	}
}

// blockLanguages are the kinds of blocks, with what must hold of each.
var blockLanguages = map[string]func(t *testing.T, where string, b docstest.Block){
	"console":   nothingMore, // TestDocsCommands and TestDocsServers run it
	"toml":      nothingMore, // TestDocsConfigurations loads it
	"text":      nothingMore, // synopses and diagrams
	"python":    nothingMore,
	"yaml":      nothingMore,
	"nginx":     nothingMore, // TestProxies runs it, and the next two
	"caddyfile": nothingMore,
	"haproxy":   nothingMore,
	"sh":        onlyBuilds,
	"json":      validJSON,
	"jsonl":     validLines,
}

// TestDocsBlocks: every block is of a known kind.
func TestDocsBlocks(t *testing.T) {
	t.Parallel()
	for _, page := range docstest.Pages(t) {
		for _, b := range page.Blocks {
			check, known := blockLanguages[b.Lang]
			if !known {
				t.Errorf("%s:%d: blocks of %q are not checked", page.Path, b.Line, b.Lang)
				continue
			}
			check(t, page.Path, b)
		}
	}
}

func nothingMore(*testing.T, string, docstest.Block) {}

// buildCommands are what blocks of sh are for: commands that take minutes, or
// install something.
var buildCommands = regexp.MustCompile(`^((FUSEBOX_TEST(_[A-Z]+)?=\S+ )?go (build|test|vet|tool)\b|git config )`)

func onlyBuilds(t *testing.T, where string, b docstest.Block) {
	t.Helper()
	for line := range strings.Lines(b.Text) {
		if !buildCommands.MatchString(line) {
			t.Errorf("%s:%d: %q can be run: put it into a block of console", where, b.Line, strings.TrimSpace(line))
		}
	}
}

func validJSON(t *testing.T, where string, b docstest.Block) {
	t.Helper()
	if !json.Valid([]byte(b.Text)) {
		t.Errorf("%s:%d: not valid JSON", where, b.Line)
	}
}

func validLines(t *testing.T, where string, b docstest.Block) {
	t.Helper()
	for line := range strings.Lines(b.Text) {
		if !strings.HasPrefix(line, "#") && !json.Valid([]byte(line)) {
			t.Errorf("%s:%d: %q is not valid JSON", where, b.Line, strings.TrimSpace(line))
		}
	}
}

var (
	sourcePath  = regexp.MustCompile(`^(agent|cmd|docs|migrations|static|store|views|web)(/\w[\w.-]*)*$`)
	placeholder = regexp.MustCompile(`^[A-Z]{4}`) // NAME.go, NOUN.go
)

// TestDocsFiles: files and folders that a page names are there.
func TestDocsFiles(t *testing.T) {
	t.Parallel()
	root := docstest.Root(t)
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return err == nil
	}
	for _, page := range docstest.Pages(t) {
		for _, name := range docstest.Spans(page.Prose) {
			if !sourcePath.MatchString(name) {
				continue
			}
			if placeholder.MatchString(path.Base(name)) {
				name = path.Dir(name)
			}
			if !exists(name) {
				t.Errorf("%s: there is no %s", page.Path, name)
			}
		}
	}
}
