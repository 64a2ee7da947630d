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
	bareFile    = regexp.MustCompile(`^\w+\.(go|templ)$`)
	placeholder = regexp.MustCompile(`^[A-Z]{4}`) // NAME.go, NOUN.go
)

// TestDocsFiles: files and folders that a page names are there, and it names them with their folder.
func TestDocsFiles(t *testing.T) {
	t.Parallel()
	root := docstest.Root(t)
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return err == nil
	}
	for _, page := range docstest.Pages(t) {
		for _, name := range docstest.Spans(page.Prose) {
			if bareFile.MatchString(name) && name != "doc.go" {
				t.Errorf("%s: %s is without its folder", page.Path, name)
			}
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

// TestDocsMap: the map of the architecture shows every package, and nothing else.
func TestDocsMap(t *testing.T) {
	t.Parallel()
	root := docstest.Root(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, drawn, _ := strings.Cut(string(page), "## Map\n\n```text\n")
	drawn, _, _ = strings.Cut(drawn, "```")
	shown := mapFolders(drawn)
	if len(shown) < 50 {
		t.Fatalf("the map has %d folders: %v", len(shown), shown)
	}
	for _, folder := range shown {
		if info, err := os.Stat(filepath.Join(root, folder)); err != nil || !info.IsDir() {
			t.Errorf("the map has %s, which is not there", folder)
		}
	}
	for pkg := range dependencies(t, "fusebox/...") {
		if folder := strings.TrimPrefix(pkg, "fusebox/"); !slices.Contains(shown, folder) {
			t.Errorf("the map lacks %s", folder)
		}
	}
}

// TestPackageDocsFiles: files that the comment of a package names are in its folder.
func TestPackageDocsFiles(t *testing.T) {
	t.Parallel()
	root, named := docstest.Root(t), 0
	goFile := regexp.MustCompile(`\b\w+\.go\b`)
	for pkg := range dependencies(t, "fusebox/...") {
		folder := filepath.Join(root, strings.TrimPrefix(pkg, "fusebox/"))
		comment, err := os.ReadFile(filepath.Join(folder, "doc.go"))
		if err != nil {
			continue // the comment of a package of one file names none
		}
		for _, name := range goFile.FindAllString(string(comment), -1) {
			named++
			if _, err := os.Stat(filepath.Join(folder, name)); err != nil && !placeholder.MatchString(name) {
				t.Errorf("%s/doc.go: there is no %s", strings.TrimPrefix(pkg, "fusebox/"), name)
			}
		}
	}
	if named == 0 {
		t.Error("no comment of a package names a file")
	}
}

var mapName = regexp.MustCompile(`(?:^|[ (])([a-z0-9_]+(?:/[a-z0-9_]+)*)/`)

// mapFolders are the folders that a map shows: at the beginnings of its lines, indented below
// their parents, and named in what a line says of its folder.
func mapFolders(drawn string) (folders []string) {
	var above []string
	for line := range strings.Lines(drawn) {
		rest := strings.TrimLeft(line, " ")
		depth := (len(line) - len(rest)) / 2
		head, said, _ := strings.Cut(rest, "  ")
		parent := path.Join(above[:min(depth, len(above))]...)
		for i, found := range mapName.FindAllStringSubmatch(head, -1) {
			folders = append(folders, path.Join(parent, found[1]))
			if i == 0 {
				above = append(above[:min(depth, len(above))], found[1])
			}
		}
		for _, found := range mapName.FindAllStringSubmatch(said, -1) {
			folders = append(folders, path.Join(path.Join(above...), found[1]))
		}
	}
	return folders
}
