package markdown

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	catalogue "fusebox/views/text"
)

// maxMarkdown bounds what is rendered as markdown; longer text is shown as it is.
const maxMarkdown = 512 << 10

// converters turn a model's text into HTML, one for each language that pages are
// shown in.
var converters sync.Map // *catalogue.Printer -> goldmark.Markdown

// converterOf is the converter of a language. The text is untrusted: raw HTML is shown as
// text, images become links, links that lead nowhere known become text, and the final
// HTML is sanitised.
func converterOf(tr *catalogue.Printer) goldmark.Markdown {
	if known, ok := converters.Load(tr); ok {
		return known.(goldmark.Markdown)
	}
	fresh, _ := converters.LoadOrStore(tr, goldmark.New(
		extensions,
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(tamer{tr}, 100)), parser.WithInlineParsers(util.Prioritized(formulas{}, 50), util.Prioritized(citations{}, 60))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blockRenderer{tr}, 10), util.Prioritized(citationRenderer{tr.T("markdown.unknown_source")}, 10))),
	))
	return fresh.(goldmark.Markdown)
}

var extensions = goldmark.WithExtensions(
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
	emphases{}, extension.Linkify, extension.TaskList,
)

// blocks finds where blocks begin, which is the same in every language.
var blocks = goldmark.New(extensions).Parser()

// sanitizer has the last word on what markdown may become.
var sanitizer = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "blockquote",
		"ul", "li", "pre", "code", "table", "thead", "tbody", "tr", "span", "div")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|right|center)$`)).OnElements("th", "td")
	p.AllowElements("th", "td")
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^(auto|ltr)$`)).OnElements("p", "li", "h2", "h3", "h4", "h5", "h6", "th", "td", "code", "div")
	p.AllowAttrs("lang").Matching(regexp.MustCompile(`^(zh|)$`)).OnElements("em")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-z0-9 -]{1,60}$`)).OnElements("code", "span", "div", "pre")
	p.AllowAttrs("role").Matching(regexp.MustCompile(`^group$`)).OnElements("div")
	p.AllowAttrs("aria-label").OnElements("div")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	p.AllowAttrs("type", "class", "data-copy").Matching(regexp.MustCompile(`^(button|btn btn-quiet copy|csv|)$`)).OnElements("button")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre", "table")
	p.AllowStandardURLs()
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true) // of the page's own sources, and of nothing else
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?:(?i:https?)://|(?i:mailto):|#m-[A-Za-z0-9_-]{1,80}-s\d{1,3}$)`)).OnElements("a")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^cite$`)).OnElements("a")
	p.AllowAttrs("title").OnElements("span", "a")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}()

// Render returns the HTML of each top-level block of src, with labels in the
// reader's language. Link references are resolved across the blocks.
func Render(tr *catalogue.Printer, src string, from Sources) []string {
	if len(src) > maxMarkdown || tangled(src) {
		return []string{plainBlock(src)}
	}
	ctx := parser.NewContext()
	ctx.Set(sourcesKey, from.cites())
	starts := blockStarts([]byte(src), ctx)
	rendered := make([]string, 0, len(starts))
	var at outline
	for i, begin := range starts {
		to := len(src)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		var out string
		if out, at = renderBlock(tr, src[begin:to], ctx, at); out != "" {
			rendered = append(rendered, out)
		}
	}
	return rendered
}

// renderBlock renders a piece of markdown that starts and ends between two
// top-level blocks of a text, which is parsed in whole. It takes the outline before the
// piece and returns the one after it.
func renderBlock(tr *catalogue.Printer, src string, whole parser.Context, at outline) (string, outline) {
	if tangled(src) {
		return plainBlock(src), at
	}
	ctx := parser.NewContext()
	ctx.Set(outlineKey, at)
	if whole != nil {
		ctx.Set(sourcesKey, whole.Get(sourcesKey))
		for _, r := range whole.References() {
			ctx.AddReference(r)
		}
	}
	var b bytes.Buffer
	if err := converterOf(tr).Convert([]byte(src), &b, parser.WithContext(ctx)); err != nil {
		return plainBlock(src), at
	}
	at, _ = ctx.Get(outlineKey).(outline)
	return strings.TrimSpace(string(sanitizer.SanitizeBytes(b.Bytes()))), at
}

func plainBlock(src string) string {
	return `<pre class="plain">` + html.EscapeString(src) + `</pre>`
}

// blockStarts returns where the top-level blocks of src begin, the first of
// them always at 0. It leaves the link references in ctx.
func blockStarts(src []byte, ctx parser.Context) []int {
	doc := blocks.Parse(text.NewReader(src), parser.WithContext(ctx))
	starts := []int{0}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		pos := min(n.Pos(), len(src))
		if pos <= 0 {
			continue
		}
		line := bytes.LastIndexByte(src[:pos], '\n') + 1
		if line > starts[len(starts)-1] {
			starts = append(starts, line)
		}
	}
	return starts
}

// The most of each that one line, or one paragraph, may open: beyond them
// parsing takes more than linear time, and no honest text comes near.
const (
	maxNesting   = 60
	maxLinksOpen = 1500
)

var (
	opener   = regexp.MustCompile(`^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)+`)
	brackets = []string{strings.Repeat("[", maxNesting), strings.Repeat("(", maxNesting)}
)

// tangled reports whether a text is nested so deeply that it is shown plain.
func tangled(src string) bool {
	for line := range strings.Lines(src) {
		prefix := opener.FindString(line)
		isRule := strings.Trim(line, "-*_ \t\r\n") == ""
		if len(strings.Fields(prefix)) > maxNesting || strings.Count(prefix, ">") > maxNesting {
			return !isRule
		}
	}
	for part := range strings.SplitSeq(src, "\n\n") {
		if strings.Count(part, "](") > maxLinksOpen {
			return true
		}
	}
	return slices.ContainsFunc(brackets, func(b string) bool { return strings.Contains(src, b) })
}

// tamer changes a parsed document before it is rendered: images become links
// that name their host, links to hosts that nobody has named become text, raw HTML becomes text, headings take their place below
// those of the page, and text runs in its own direction.
type tamer struct{ text *catalogue.Printer }

func (t tamer) Transform(doc *ast.Document, src text.Reader, ctx parser.Context) {
	headings(doc, ctx)
	var images []*ast.Image
	var texts []*ast.Text
	// The walker returns no error: it has none to give.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		direct(n)
		switch n := n.(type) {
		case *ast.Image:
			images = append(images, n)
		case *ast.Text:
			if bytes.Contains(n.Value(src.Source()), []byte("【")) && !n.IsRaw() && n.Parent().Kind() != ast.KindCodeSpan {
				texts = append(texts, n)
			}
		case *ast.Emphasis:
			emphasisTongue(n, src.Source(), t.text)
		}
		return ast.WalkContinue, nil
	})
	for _, img := range slices.Backward(images) {
		t.imageToLink(img)
	}
	lenticular(texts, src.Source(), ctx)
	linksToText(doc, src.Source(), ctx)
}

var hostOf = regexp.MustCompile(`^(?i:https?:)?//([^/?#\\]{1,100})`)

func (t tamer) imageToLink(img *ast.Image) {
	label := t.text.T("markdown.image")
	if m := hostOf.FindSubmatch(img.Destination); m != nil {
		label = t.text.T("markdown.image_on", string(m[1]))
	}
	link := ast.NewLink()
	link.Destination = img.Destination
	for c := img.FirstChild(); c != nil; {
		next := c.NextSibling()
		link.AppendChild(link, c)
		c = next
	}
	if link.HasChildren() {
		label = " " + label
	}
	link.AppendChild(link, ast.NewString([]byte(label)))
	img.Parent().ReplaceChild(img.Parent(), img, link)
}
