package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	catalogue "fusebox/views/text"
)

// maxHighlight bounds the code that is highlighted: lexers backtrack.
const maxHighlight = 48 << 10

// blockRenderer draws code blocks with their language and a copy button, names them by their
// length for people who cannot see them, and shows raw HTML as the text it is, except for line breaks in the cells of tables.
// Its tables scroll where they are wide, with a button that copies them.
type blockRenderer struct{ text *catalogue.Printer }

// RegisterFuncs implements renderer.NodeRenderer.
func (r blockRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindFencedCodeBlock, r.code)
	reg.Register(ast.KindCodeBlock, r.code)
	reg.Register(ast.KindHTMLBlock, renderHTMLBlock)
	reg.Register(ast.KindRawHTML, renderRawHTML)
	reg.Register(extast.KindTable, r.table)
}

func (r blockRenderer) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<div class="grid"><button type="button" class="btn btn-quiet copy" data-copy="csv">` + html.EscapeString(r.text.T("markdown.csv")) + `</button><table tabindex="0">`)
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// code writes a code block. Errors of the buffer come out when it is flushed.
func (r blockRenderer) code(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	language, lines := "", n.Lines()
	if fenced, ok := n.(*ast.FencedCodeBlock); ok {
		language = codeLanguage(string(fenced.Language(src)))
	}
	_, _ = w.WriteString(`<div class="code" dir="ltr" role="group" aria-label="` + html.EscapeString(r.text.T("markdown.code", lines.Len())) + `"><div class="code-head"><span class="code-lang">` + html.EscapeString(language) +
		`</span><button type="button" class="btn btn-quiet copy" data-copy="">` + html.EscapeString(r.text.T("markdown.copy")) + `</button></div><pre class="chroma" tabindex="0"><code>`)
	_, _ = w.WriteString(highlight(string(lines.Value(src)), language))
	_, _ = w.WriteString("</code></pre></div>\n")
	return ast.WalkSkipChildren, nil
}

func renderHTMLBlock(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		block := n.(*ast.HTMLBlock)
		raw := block.Lines().Value(src)
		if block.HasClosure() {
			raw = append(raw, block.ClosureLine.Value(src)...)
		}
		_, _ = w.WriteString(`<p dir="auto">` + html.EscapeString(string(raw)) + "</p>\n")
	}
	return ast.WalkSkipChildren, nil
}

func renderRawHTML(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		raw := string(n.(*ast.RawHTML).Segments.Value(src))
		if lineBreak.MatchString(raw) && inCell(n) {
			_, _ = w.WriteString("<br>")
		} else {
			_, _ = w.WriteString(html.EscapeString(raw))
		}
	}
	return ast.WalkSkipChildren, nil
}

var lineBreak = regexp.MustCompile(`^(?i:<br)\s*/?>$`)

// inCell reports whether n is in the cell of a table, which is one line: a tag is the only
// way to break it.
func inCell(n ast.Node) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == extast.KindTableCell {
			return true
		}
	}
	return false
}

var languageName = regexp.MustCompile(`^[\w+#.-]{1,24}$`)

// codeLanguage is the language as a label; what is no name of one is left out.
func codeLanguage(info string) string {
	if languageName.MatchString(info) {
		return info
	}
	return ""
}

// The format has classes in place of a style, which it needs all the same. The
// styles that come with chroma are parsed at each start of the program.
var (
	codeFormat = chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true))
	noStyle    = chroma.MustNewStyle("none", nil)
)

// knownLanguages are the names chroma finds at once; for any other it would
// match the patterns of file names of all lexers, which takes milliseconds.
var knownLanguages = func() map[string]bool {
	known := map[string]bool{}
	for _, name := range lexers.Names(true) {
		known[strings.ToLower(name)] = true
	}
	return known
}()

// highlight returns code as HTML, with classes where its language is known.
func highlight(code, language string) string {
	if !knownLanguages[strings.ToLower(language)] || len(code) > maxHighlight {
		return html.EscapeString(code)
	}
	lexer := lexers.Get(language)
	it, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return html.EscapeString(code)
	}
	var b bytes.Buffer
	if err := codeFormat.Format(&b, noStyle, it); err != nil {
		return html.EscapeString(code)
	}
	return b.String()
}
