package reading

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"fusebox/agent"
	"fusebox/agent/encoded"
)

const (
	maxTokens  = 2 << 20 // tags and texts of a page that are read
	maxToken   = 8 << 20 // bytes of one of them
	metaWithin = 1024    // bytes in which a page says its encoding
)

// readHTML reads what people see of a page.
func readHTML(_ context.Context, in input, b *builder) agent.DocumentProblem {
	raw, whole, problem := in.raw(b)
	if problem != "" {
		return problem
	}
	return writeHTML(pageText(raw, !whole, b), b)
}

// pageText is a page in UTF-8. What the page says of its encoding counts where its bytes
// leave a doubt.
func pageText(raw string, more bool, b *builder) string {
	text, ok := encoded.Read(raw, more)
	if ok && text.Encoding() == "" || strings.HasPrefix(text.Encoding(), "UTF-16") {
		b.reading.Encoding = text.Encoding()
		return text.Content
	}
	said, name, _ := charset.DetermineEncoding([]byte(raw[:min(metaWithin, len(raw))]), "")
	if name != "utf-8" && name != "windows-1252" { // the latter is also the answer where nothing is said
		if decoded, err := said.NewDecoder().String(raw); err == nil {
			b.reading.Encoding = name
			return decoded
		}
	}
	if !ok {
		return raw
	}
	b.reading.Encoding = text.Encoding()
	return text.Content
}

// writeHTML writes what people see of a page, or of a chapter of a book, with its headings.
// Its title becomes that of the reading where there is none.
func writeHTML(text string, b *builder) agent.DocumentProblem {
	text, whole := parsable(text)
	if !whole {
		b.note(agent.ReadingNote{Code: agent.NoteCut})
	}
	page, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return agent.ProblemBroken
	}
	w := &htmlWriter{b: b, sheet: sheetOf(page)}
	w.node(page, w.sheet.page)
	w.flush()
	b.end()
	if w.sheet.unclear {
		b.note(agent.ReadingNote{Code: agent.NoteUnchecked})
	}
	return ""
}

// renamed is in front of the names of elements that the parser would treat in ways of their own.
const renamed = "x-"

const drawing = renamed + "svg"

// parsable is a page that the parser can be trusted with. It repeats elements such as <b> that
// are left open in each paragraph that follows, so that few bytes become a great many nodes:
// they get other names, and so do drawings and formulas, which have rules of their own. In these
// and in XML, the parser has to be told that <title/> has an end. The result is false where the
// rest is cut: there are too many tags, or one is too long.
func parsable(text string) (string, bool) {
	start := text[:min(metaWithin, len(text))]
	isXML := strings.Contains(start, "<?xml") || strings.Contains(start, "http://www.w3.org/1999/xhtml")
	foreign := 0 // drawings and formulas that are open
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(text))
	tokens.SetMaxBuf(maxToken)
	for range maxTokens {
		kind := tokens.Next()
		raw := tokens.Raw()
		if kind == html.ErrorToken {
			return out.String(), errors.Is(tokens.Err(), io.EOF)
		}
		if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
			out.Write(raw)
			continue
		}
		tag, _ := tokens.TagName()
		name := string(tag)
		open, rest, _ := strings.Cut(string(raw), name)
		isForeign := name == "svg" || name == "math"
		if isForeign || slices.Contains(formatting, atom.Lookup(tag)) {
			name = renamed + name
		}
		switch {
		case kind == html.SelfClosingTagToken && (isXML || isForeign || foreign > 0) && name != "br":
			rest = strings.TrimSuffix(rest, "/>") + "></" + name + ">"
			tokens.NextIsNotRawText()
		case isForeign && kind == html.EndTagToken:
			foreign = max(foreign-1, 0)
		case isForeign:
			foreign++
		}
		out.WriteString(open + name + rest)
	}
	return out.String(), false
}

// formatting are the elements that the parser repeats.
var formatting = []atom.Atom{
	atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U,
}

// htmlWriter writes the nodes of a page in their order.
type htmlWriter struct {
	b     *builder
	sheet sheet

	line   strings.Builder // the last line of the block that is open
	lines  []string        // those before it
	item   bool            // whether the block begins an item of a list
	lists  int             // that are open
	cell   *[]string       // takes the blocks instead of the builder
	marked bool            // whether the run of hidden text was counted
}

// node writes what is seen of a node.
func (w *htmlWriter) node(n *html.Node, outer htmlLook) {
	if w.b.isFull {
		return
	}
	switch n.Type {
	case html.TextNode:
		w.text(n.Data, outer)
		return
	case html.ElementNode:
		if n.Data == drawing || slices.Contains(leftOut, n.DataAtom) {
			w.title(n)
			return
		}
	case html.DocumentNode:
	default:
		return
	}
	w.element(n, w.enter(n, outer))
}

// enter is how the contents of a node look.
func (w *htmlWriter) enter(n *html.Node, outer htmlLook) htmlLook {
	inner := w.sheet.apply(n, outer)
	if inner.hides() && !outer.hides() {
		w.marked = false
	}
	return inner
}

// leftOut are elements that are not content, such as menus, or that browsers do not show.
var leftOut = []atom.Atom{
	atom.Head, atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Nav, atom.Footer, atom.Iframe, atom.Object, atom.Canvas,
	atom.Audio, atom.Video, atom.Select, atom.Datalist, atom.Textarea, atom.Rt, atom.Rp,
}

// title takes the title of a page out of its head.
func (w *htmlWriter) title(head *html.Node) {
	if head.DataAtom != atom.Head || w.b.reading.Title != "" {
		return
	}
	for n := range head.ChildNodes() {
		if n.DataAtom == atom.Title && n.FirstChild != nil {
			w.b.reading.Title = n.FirstChild.Data
			return
		}
	}
}

func (w *htmlWriter) text(text string, l htmlLook) {
	if !l.hides() {
		w.line.WriteString(text)
	} else if strings.TrimSpace(text) != "" && !w.marked {
		w.b.noteHere(agent.NoteHidden, 1)
		w.marked = true
	}
}

func (w *htmlWriter) children(n *html.Node, l htmlLook) {
	for child := range n.ChildNodes() {
		w.node(child, l)
	}
}

func (w *htmlWriter) element(n *html.Node, l htmlLook) {
	switch n.DataAtom {
	case atom.Br:
		w.endLine()
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n, l)
	case atom.Pre, atom.Listing, atom.Xmp:
		w.code(n, l)
	case atom.Table:
		w.table(n, l)
	case atom.Ul, atom.Ol, atom.Menu:
		w.flush()
		w.lists++
		w.children(n, l)
		w.lists--
		w.flush()
		w.gap()
	case atom.Li:
		w.flush()
		w.item = true
		w.children(n, l)
		w.flush()
		w.item = false
	case atom.P, atom.Blockquote, atom.Dl, atom.Figure, atom.Hr, atom.Section, atom.Article, atom.Details:
		w.flush()
		w.children(n, l)
		w.flush()
		w.gap()
	default:
		if slices.Contains(inLine, n.DataAtom) {
			w.children(n, l)
			return
		}
		w.flush()
		w.children(n, l)
		w.flush()
	}
}

// inLine are elements that are part of a line; 0 is one that the parser does not know.
var inLine = []atom.Atom{
	0, atom.Span, atom.Abbr, atom.Acronym, atom.Bdi, atom.Bdo, atom.Cite, atom.Data, atom.Del, atom.Dfn, atom.Ins, atom.Kbd, atom.Label,
	atom.Mark, atom.Meter, atom.Output, atom.Progress, atom.Q, atom.Ruby, atom.Rb, atom.Samp, atom.Sub, atom.Sup, atom.Time, atom.Var,
	atom.Wbr, atom.Img, atom.Input,
}
