package markdown

import (
	"fmt"
	"html"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// Sources are what a text may lead to. Without them, links and citations are text.
type Sources struct {
	// Anchor begins the ids of the elements that show the citations: SourceID.
	Anchor    string
	Citations []agent.Citation
	// Unknown are the citations that match no source.
	Unknown []string
	// Hosts are those of links that may be links.
	Hosts []string
}

// SourceID is the element that shows a source.
func SourceID(anchor string, n int) string { return fmt.Sprintf("%s-s%d", anchor, n) }

var (
	sourcesKey   = parser.NewContextKey()
	citationKind = ast.NewNodeKind("citation")
)

// citation is a mark such as [1].
type citation struct {
	ast.BaseInline
	key, leads string // leads is the element of its source, "" for an unknown one
}

// Kind implements ast.Node.
func (*citation) Kind() ast.NodeKind { return citationKind }

// Dump implements ast.Node.
func (c *citation) Dump(src []byte, level int) {
	ast.DumpHelper(c, src, level, map[string]string{"key": c.key}, nil)
}

// citations finds the marks before anything else can take the brackets for a link.
type citations struct{}

// Trigger implements parser.InlineParser.
func (citations) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (citations) Parse(_ ast.Node, block text.Reader, ctx parser.Context) ast.Node {
	line, _ := block.PeekLine()
	key, n := sources.Mark(line)
	if n == 0 {
		return nil
	}
	from, _ := ctx.Get(sourcesKey).(Sources)
	i := slices.IndexFunc(from.Citations, func(c agent.Citation) bool { return slices.Contains(sources.Keys(c), key) })
	mark := &citation{key: key}
	switch {
	case i >= 0:
		mark.leads = SourceID(from.Anchor, from.Citations[i].N)
	case !slices.Contains(from.Unknown, key):
		return nil
	}
	block.Advance(n)
	return mark
}

// citationRenderer draws marks as links to their sources, and unknown ones as such.
type citationRenderer struct{ unknown string }

// RegisterFuncs implements renderer.NodeRenderer.
func (r citationRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(citationKind, r.render)
}

func (r citationRenderer) render(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if c := n.(*citation); entering && c.leads != "" {
		_, _ = w.WriteString(`<a class="cite" href="#` + html.EscapeString(c.leads) + `">[` + html.EscapeString(c.key) + `]</a>`)
	} else if entering {
		_, _ = w.WriteString(`<span class="cite-unknown" title="` + html.EscapeString(r.unknown) + `">[` + html.EscapeString(c.key) + `]</span>`)
	}
	return ast.WalkSkipChildren, nil
}
