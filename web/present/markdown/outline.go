package markdown

import (
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
)

// firstLevel is the level of an answer's first heading: right below the page's own.
const firstLevel = 2

// outline gives the headings of one text their levels on the page. A model begins with
// any level and leaves some out; on the page, each heading is at most one level below
// the one before. It holds the levels, as the model wrote them, that are open.
type outline []int

var outlineKey = parser.NewContextKey()

// headings sets the levels of a document's headings, and leaves the outline in ctx.
func headings(doc ast.Node, ctx parser.Context) {
	at, _ := ctx.Get(outlineKey).(outline)
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			open := slices.IndexFunc(at, func(level int) bool { return level >= h.Level })
			if open < 0 {
				open = len(at)
			}
			// A copy: an open block is rendered several times from the same place.
			at = append(slices.Clone(at[:open]), h.Level)
			h.Level = min(firstLevel+open, 6)
		}
		return ast.WalkContinue, nil
	})
	ctx.Set(outlineKey, at)
}
