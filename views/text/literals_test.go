package text

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/a-h/templ/parser/v2"
	"github.com/a-h/templ/parser/v2/visitor"
)

var (
	// spoken are the attributes whose values people read.
	spoken = []string{"alt", "aria-description", "aria-label", "aria-roledescription", "data-label", "data-off", "data-on", "label", "placeholder", "title"}
	// names are the same in every language: the product, the caps of keys.
	names = []string{"Enter", "Esc", "Excel", "Fusebox", "Gemini", "Kimi", "LM Studio", "Markdown", "Mistral", "Ollama", "Qwen", "Tab", "Word"}
	// codes look like sentences and are not: class names, and what a machine reads.
	codes = []string{
		`<span class="cite-unknown" title="`, "main main-full", "main main-wide", "btn-danger decide-abort",
		"Micros", " ms", "render part: %v", "^(button|btn btn-quiet copy|csv|)$", `<pre class="plain">`, `<div class="code" dir="ltr" role="group" aria-label="`, `<div class=.code-head.>.*?</div>|<button.*?</button>`,
		`<div class="grid"><button type="button" class="btn btn-quiet copy" data-copy="csv">`, `</button><table tabindex="0">`, `"><div class="code-head"><span class="code-lang">`,
		`</span><button type="button" class="btn btn-quiet copy" data-copy="">`, `</button></div><pre class="chroma" tabindex="0"><code>`,
		"fusebox audit verify --rows ", " --head ", "Authorization: Bearer …",
		"text/csv; charset=utf-8", `attachment; filename="fusebox-audit.csv"`, "Origin",
		"account ", "address ", "address unknown", "setup ", "reset ", // who is throttled
		"test outputs", "test repeated answer", "test timeout", // what the demo model understands
		"deleted conversation", // what the ledger calls it
	}

	letter = regexp.MustCompile(`\p{L}`)
	// sentence is text in Go: several words, a word with a space at its side, or
	// one that begins with a capital.
	sentence = regexp.MustCompile(`\p{L}{2,}[,.:;]? +\p{L}|^[,;:.·]? +\p{L}{2}|\p{L}{2}[,;:]? $|^\p{Lu}\p{Ll}+$`)
)

// TestTemplatesHaveNoText finds text in templates that is not in the catalogue.
func TestTemplatesHaveNoText(t *testing.T) {
	t.Parallel()
	for _, path := range templates(t) {
		file, err := parser.ParseString(readFile(t, path))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		v := visitor.New()
		v.Text = func(n *parser.Text) error {
			if letter.MatchString(n.Value) && !slices.Contains(names, n.Value) {
				t.Errorf("%s:%d: text %q", path, n.Range.From.Line+1, n.Value)
			}
			return nil
		}
		v.ConstantAttribute = func(n *parser.ConstantAttribute) error {
			if slices.Contains(spoken, n.Key.String()) && letter.MatchString(n.Value) && !slices.Contains(names, n.Value) {
				t.Errorf("%s:%d: %s=%q", path, n.Range.From.Line+1, n.Key, n.Value)
			}
			return nil
		}
		if err := file.Visit(v); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoHasNoText finds sentences in the Go code of pages, and texts of the
// catalogue that are put together with others.
func TestGoHasNoText(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, "views", "web/present", "web/page", "web/live") {
		if filepath.Base(filepath.Dir(s.path)) == "styleguide" { // samples, for developers
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.CallExpr:
				return !writesMarkup(n) && !speaksElsewhere(n)
			case *ast.BinaryExpr:
				if n.Op == token.ADD && (isMessage(n.X) || isMessage(n.Y)) {
					t.Errorf("%s: a message is put together with something else", s.at(n))
				}
			case *ast.BasicLit:
				if said, ok := stringOf(n); ok && sentence.MatchString(said) && !slices.Contains(names, said) && !slices.Contains(codes, said) {
					t.Errorf("%s: %q", s.at(n), said)
				}
			}
			return true
		})
	}
}

// writesMarkup reports whether a call has literals that are no texts: the markup
// of a generated template, or the layout of a time.
func writesMarkup(c *ast.CallExpr) bool {
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, _ := f.X.(*ast.Ident)
	return f.Sel.Name == "Format" || f.Sel.Name == "WriteString" && x != nil && x.Name == "templruntime"
}

// speaksElsewhere reports whether a call has texts that are not a page's: an
// error, which says the same to programs, or a line of the log.
func speaksElsewhere(c *ast.CallExpr) bool {
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch x := f.X.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"Errorf", "InvalidField", "Wrap", "wrong"}, f.Sel.Name) || x.Name == "errors" && f.Sel.Name == "New"
	case *ast.SelectorExpr:
		return x.Sel.Name == "Logger"
	default:
		return false
	}
}

func isMessage(e ast.Expr) bool {
	_, ok := messageCall(e)
	return ok
}
