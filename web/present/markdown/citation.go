package markdown

import (
	"bytes"
	"fmt"
	"html"
	"regexp"

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

// cites is Sources as a text is parsed: where each citation leads, "" for an unknown one.
type cites struct {
	hosts []string
	leads map[string]string
}

func (s Sources) cites() cites {
	c := cites{hosts: s.Hosts, leads: map[string]string{}}
	for _, key := range s.Unknown {
		c.leads[key] = ""
	}
	for _, source := range s.Citations {
		for _, key := range sources.Keys(source) {
			c.leads[key] = SourceID(s.Anchor, source.N)
		}
	}
	return c
}

// citation is what stands in a mark: one mark with several becomes one for each.
type citation struct {
	ast.BaseInline
	key   string
	known bool   // it is a source or an unknown one, and no number that means something else
	leads string // the element of its source, "" for none
}

// Kind implements ast.Node.
func (*citation) Kind() ast.NodeKind { return citationKind }

// Dump implements ast.Node.
func (c *citation) Dump(src []byte, level int) {
	ast.DumpHelper(c, src, level, map[string]string{"key": c.key}, nil)
}

// citationsAt are those of the mark at the start of a text, and how long it is; none where nothing
// in it is a citation of the text.
func citationsAt(text []byte, ctx parser.Context) (all []ast.Node, n int) {
	from, _ := ctx.Get(sourcesKey).(cites)
	if len(from.leads) == 0 {
		return nil, 0
	}
	keys, n := sources.Mark(text)
	cites := false
	for _, key := range keys {
		leads, known := from.leads[key]
		cites = cites || known
		all = append(all, &citation{key: key, known: known, leads: leads})
	}
	if !cites {
		return nil, 0
	}
	return all, n
}

// citations finds the marks before anything else can take the brackets for a link.
type citations struct{}

// Trigger implements parser.InlineParser.
func (citations) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (citations) Parse(parent ast.Node, block text.Reader, ctx parser.Context) ast.Node {
	line, at := block.PeekLine()
	all, n := citationsAt(line, ctx)
	if n == 0 {
		return nil
	}
	if m := address.FindIndex(line[n:]); m != nil {
		from, to := at.Start+n, at.Start+n+m[1]
		all = append(all, ast.NewTextSegment(text.NewSegment(from, from+1)),
			ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(from+1, to-1))), ast.NewTextSegment(text.NewSegment(to-1, to)))
		n += m[1]
	}
	block.Advance(n)
	last := len(all) - 1
	for _, c := range all[:last] {
		parent.AppendChild(parent, c)
	}
	return all[last]
}

// address is where a mark would lead if it were a link: it stays beside it.
var address = regexp.MustCompile(`^\(https?://[^\s()<>]+\)`)

// lenticular finds the marks in brackets that are no signs of markdown, in texts of a parsed
// document, of which a line may have several.
func lenticular(texts []*ast.Text, src []byte, ctx parser.Context) {
	for _, t := range texts {
		parent := t.Parent()
		if parent == nil { // it is part of another by now
			continue
		}
		for t.NextSibling() != nil && t.Merge(t.NextSibling(), src) {
			parent.RemoveChild(parent, t.NextSibling())
		}
		for at := t.Segment.Start; ; {
			i := bytes.Index(src[at:t.Segment.Stop], []byte("【"))
			if i < 0 {
				break
			}
			at += i
			all, n := citationsAt(src[at:t.Segment.Stop], ctx)
			if n == 0 {
				at += len("【")
				continue
			}
			parent.InsertBefore(parent, t, ast.NewTextSegment(t.Segment.WithStop(at)))
			for _, c := range all {
				parent.InsertBefore(parent, t, c)
			}
			at += n
			t.Segment = t.Segment.WithStart(at)
		}
	}
}

// citationRenderer draws marks as links to their sources, and unknown ones as such.
type citationRenderer struct{ unknown string }

// RegisterFuncs implements renderer.NodeRenderer.
func (r citationRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(citationKind, r.render)
}

func (r citationRenderer) render(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	c := n.(*citation)
	shown := "[" + html.EscapeString(c.key) + "]"
	switch {
	case !entering:
	case c.leads != "":
		_, _ = w.WriteString(`<a class="cite" href="#` + html.EscapeString(c.leads) + `">` + shown + `</a>`)
	case c.known:
		_, _ = w.WriteString(`<span class="cite-unknown" title="` + html.EscapeString(r.unknown) + `">` + shown + `</span>`)
	default:
		_, _ = w.WriteString(shown)
	}
	return ast.WalkSkipChildren, nil
}
