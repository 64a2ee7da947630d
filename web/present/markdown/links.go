package markdown

import (
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"

	"fusebox/agent/sources"
)

// leads reports whether a link of a document may be one: its host was named by a person
// or by a tool's result. Any other could carry data away at a click.
func leads(ctx parser.Context, destination []byte) bool {
	from, _ := ctx.Get(sourcesKey).(cites)
	resolved := util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(destination)))
	host := sources.HostOf(string(resolved))
	return host != "" && slices.Contains(from.hosts, host)
}

// linksToText puts the text of links in their place that lead nowhere known, or have a citation in
// them, which leads elsewhere.
func linksToText(doc *ast.Document, src []byte, ctx parser.Context) {
	var links []ast.Node
	// The walker returns no error: it has none to give.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if n.Title = shown(n.Destination); entering && (hasCitation(n) || !leads(ctx, n.Destination)) {
				links = append(links, n)
			}
		case *ast.AutoLink:
			if entering && !leads(ctx, addressOf(n, src)) {
				links = append(links, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range slices.Backward(links) {
		linkToText(n, src)
	}
}

func hasCitation(n ast.Node) bool {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == citationKind || hasCitation(c) {
			return true
		}
	}
	return false
}

// shown is an address as the title of its link, whose text may say another one. Letters
// that only look like others are written as their bytes.
func shown(destination []byte) []byte { return util.URLEscape(destination, true) }

func addressOf(n *ast.AutoLink, src []byte) []byte {
	if n.AutoLinkType == ast.AutoLinkEmail {
		return append([]byte("mailto:"), n.Label(src)...)
	}
	return n.URL(src)
}

func linkToText(n ast.Node, src []byte) {
	parent := n.Parent()
	if auto, ok := n.(*ast.AutoLink); ok {
		parent.ReplaceChild(parent, n, plainText(auto.Label(src)))
		return
	}
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		parent.InsertBefore(parent, n, c)
		c = next
	}
	destination := n.(*ast.Link).Destination
	parent.ReplaceChild(parent, n, plainText(slices.Concat([]byte(" ("), destination, []byte(")"))))
}

func plainText(text []byte) ast.Node {
	s := ast.NewString(slices.Clone(text))
	s.SetRaw(true)
	return s
}
