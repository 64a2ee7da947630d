package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"fusebox/cmd/fusebox/docstest"
)

// programText is what the program's source names: the texts in it, wherever they
// stand, so that a package that moves changes nothing here.
type programText struct {
	literals, tests map[string]bool
	telemetry       map[string]bool // literals of the package of that name
	files           []*ast.File
}

var parsed struct {
	once  sync.Once
	found programText
	err   error
}

// readSource reads the source once for all tests.
func readSource(t *testing.T) programText {
	t.Helper()
	root := docstest.Root(t)
	parsed.once.Do(func() {
		parsed.found = programText{literals: map[string]bool{}, tests: map[string]bool{}, telemetry: map[string]bool{}}
		for _, dir := range []string{"agent", "cmd", "store", "web"} {
			if parsed.err == nil {
				parsed.err = filepath.WalkDir(filepath.Join(root, dir), parsed.found.read)
			}
		}
	})
	if parsed.err != nil {
		t.Fatal(parsed.err)
	}
	return parsed.found
}

func (s *programText) read(path string, entry fs.DirEntry, err error) error {
	if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	into := s.tests
	if !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(filepath.Dir(path), "test") {
		into = s.literals
		s.files = append(s.files, file)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := literal(n); ok {
			into[text] = true
			s.telemetry[text] = s.telemetry[text] || filepath.Base(filepath.Dir(path)) == "telemetry"
		}
		return true
	})
	return nil
}

// literal is the text of a string literal.
func literal(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func sortedMatches(texts map[string]bool, pattern string) []string {
	re := regexp.MustCompile(pattern)
	var all []string
	for text, here := range texts {
		if here && re.MatchString(text) {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}

// matching are the texts of the program that match a pattern.
func (s programText) matching(pattern string) []string { return sortedMatches(s.literals, pattern) }

// inTests are those of its tests.
func (s programText) inTests(pattern string) []string { return sortedMatches(s.tests, pattern) }

// inspect walks over the program, and returns what f found, sorted.
func (s programText) inspect(f func(n ast.Node, found func(text string))) []string {
	var all []string
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			f(n, func(text string) { all = append(all, text) })
			return true
		})
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// notAudited are texts in calls about the audit log that are no actions.
var notAudited = regexp.MustCompile(`[^a-z._]|^[a-z]*$`)

// audited are the actions of the audit log: what is passed to functions that
// write it, what stands as an action in a row, and the events that the
// scheduler books under their own name.
func (s programText) audited() []string {
	actions := s.inspect(func(n ast.Node, found func(string)) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !strings.Contains(strings.ToLower(calleeOf(n)), "audit") {
				return
			}
			for _, arg := range n.Args {
				if text, ok := literal(arg); ok && !notAudited.MatchString(text) {
					found(text)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Action" {
				if text, ok := literal(n.Value); ok {
					found(text)
				}
			}
		}
	})
	// Some stand in a variable, and a setting's is put together from its name.
	actions = append(actions, s.matching(`^(price\.(set|remove)|(agent|workflow)\.(create|update|delete)|approval\.(reminder|escalated))$`)...)
	for _, name := range s.matching(`^money_hidden$`) {
		actions = append(actions, "setting."+name)
	}
	return actions
}

func calleeOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	default:
		return ""
	}
}

var tomlTag = regexp.MustCompile(`toml:"(\w+)"`)

// tomlKeys are the keys of tables that are decoded into structs.
func (s programText) tomlKeys() []string {
	return s.inspect(func(n ast.Node, found func(string)) {
		field, ok := n.(*ast.Field)
		if !ok || field.Tag == nil {
			return
		}
		// The lists themselves are the tables, not keys in them.
		if m := tomlTag.FindStringSubmatch(field.Tag.Value); m != nil && !slices.Contains([]string{"providers", "agents", "inputs", "steps", "mcp", "servers", "commands", "openapi", "limits"}, m[1]) {
			found(m[1])
		}
	})
}

// errorTypes are the constants of the type ErrorType.
func (s programText) errorTypes() []string {
	return s.inspect(func(n ast.Node, found func(string)) {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return
		}
		kind, ok := spec.Type.(*ast.Ident)
		if !ok || kind.Name != "ErrorType" {
			return
		}
		for _, value := range spec.Values {
			if text, ok := literal(value); ok {
				found(text)
			}
		}
	})
}
