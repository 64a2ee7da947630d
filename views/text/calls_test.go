package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// source is a parsed file of the pages.
type source struct {
	path string
	set  *token.FileSet
	file *ast.File
}

func (s source) at(n ast.Node) string { return s.set.Position(n.Pos()).String() }

// sources are the Go files of the packages that show texts, generated ones
// among them: these have the Go expressions of the templates.
func sources(t *testing.T, dirs ...string) []source {
	t.Helper()
	var all []source
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			if filepath.Base(filepath.Dir(path)) == "text" {
				return nil
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			all = append(all, source{path, set, file})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// call is one use of a message.
type call struct {
	key  ast.Expr
	args []ast.Expr
}

// messageCall is the call that a node makes of text.T, text.Rich or a printer's T.
func messageCall(n ast.Node) (call, bool) {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return call{}, false
	}
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return call{}, false
	}
	x, _ := f.X.(*ast.Ident)
	ours := x != nil && x.Name == "text"
	switch {
	case ours && f.Sel.Name == "T" && len(c.Args) > 1:
		return call{c.Args[1], c.Args[2:]}, true
	case ours && f.Sel.Name == "Rich" && len(c.Args) > 0, !ours && f.Sel.Name == "T" && len(c.Args) > 0:
		return call{c.Args[0], c.Args[1:]}, true
	}
	return call{}, false
}

// TestCalls checks every call against the catalogue, and the catalogue against the calls.
func TestCalls(t *testing.T) {
	t.Parallel()
	english := readAll(t, "en.toml")
	used := map[string]bool{}
	for _, s := range sources(t, "views", "web") {
		ast.Inspect(s.file, func(n ast.Node) bool {
			c, ok := messageCall(n)
			if !ok {
				return true
			}
			key, ok := stringOf(c.key)
			if !ok {
				t.Errorf("%s: the key is no literal", s.at(n))
				return true
			}
			used[key] = true
			e, known := english[key]
			if !known {
				t.Errorf("%s: no message %s", s.at(n), key)
			} else if want := e.arity(); want != len(c.args) {
				t.Errorf("%s: %s takes %d arguments, not %d", s.at(n), key, want, len(c.args))
			}
			return true
		})
	}
	for key := range english {
		if !used[key] {
			t.Errorf("%s is not used", key)
		}
	}
}

func stringOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// templates are the paths of all templates.
func templates(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "*", "*.templ"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	return paths
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path) //nolint:gosec // a template of ours
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
