package present

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"

	"fusebox/agent"
)

// TestEveryEventIsPresented: a new type of event is named where events become
// what a page shows, instead of falling into a default.
func TestEveryEventIsPresented(t *testing.T) {
	t.Parallel()
	named := append(caseTypes(t, "presenter.go", "foldOwn"), caseTypes(t, "lines.go", "line")...)
	for _, name := range agent.EventNames() {
		data, err := agent.DecodeEventData(name, []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if kind := reflect.TypeOf(data).Name(); !slices.Contains(named, kind) {
			t.Errorf("%s (agent.%s) is named neither in foldOwn nor in line", name, kind)
		}
	}
}

// caseTypes are the types that the cases of a function's type switches name.
func caseTypes(t *testing.T, file, function string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == function {
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CaseClause); ok {
					for _, expr := range c.List {
						if s, ok := expr.(*ast.SelectorExpr); ok {
							names = append(names, s.Sel.Name)
						}
					}
				}
				return true
			})
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s: %s has no type switch", file, function)
	}
	return names
}
