package markdown

import (
	"html"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	catalogue "fusebox/views/text"
)

// tableRenderer draws tables, which scroll where they are wide, with a button that copies them.
type tableRenderer struct{ text *catalogue.Printer }

// RegisterFuncs implements renderer.NodeRenderer.
func (r tableRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(extast.KindTable, r.table)
}

func (r tableRenderer) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<div class="grid"><button type="button" class="btn btn-quiet copy" data-copy="csv">` + html.EscapeString(r.text.T("markdown.csv")) + `</button><table tabindex="0">`)
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}
