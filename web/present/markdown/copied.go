package markdown

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	catalogue "fusebox/views/text"
)

// codeHead is what stands above a code block on a page. Languages have no angle brackets.
var codeHead = regexp.MustCompile(`<div class=.code-head.>.*?</div>|<button.*?</button>`)

// portable is what a text keeps where it is pasted: its structure, and none of the page's looks.
var portable = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "blockquote", "ul", "ol", "li", "pre", "code", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|right|center)$`)).OnElements("th", "td")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowAttrs("href").OnElements("a")
	return p
}()

// Portable returns the HTML of src to be pasted elsewhere. Links lead where those of Render do.
func Portable(tr *catalogue.Printer, src string, from Sources) string {
	shown := strings.Join(Render(tr, src, from), "\n")
	return portable.Sanitize(codeHead.ReplaceAllString(shown, ""))
}

// Text returns src without the signs of markdown, but for those that begin the items of a list:
// its lines, the levels of its lists, and its code stay. The cells of a table have tabs between them.
func Text(src string) string {
	if len(src) > maxMarkdown || tangled(src) {
		return src
	}
	p := plain(src)
	return strings.Join(p.blocks(blocks.Parse(text.NewReader([]byte(src))), true), "\n")
}

// plain is a text whose nodes become lines.
type plain []byte

// blocks are the lines of what is in a node. Between two blocks that are apart is an empty line.
func (p plain) blocks(parent ast.Node, apart bool) (lines []string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if apart && len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, p.block(n)...)
	}
	return lines
}

func (p plain) block(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
		raw := string(n.Lines().Value(p))
		if b, ok := n.(*ast.HTMLBlock); ok && b.HasClosure() {
			raw += string(b.ClosureLine.Value(p))
		}
		return strings.Split(strings.TrimSuffix(raw, "\n"), "\n")
	case *ast.ThematicBreak:
		return []string{"---"}
	case *ast.Blockquote:
		return indented(p.blocks(n, true), "> ", "> ")
	case *ast.List:
		return p.list(n)
	case *extast.Table:
		return p.blocks(n, false)
	case *extast.TableHeader, *extast.TableRow:
		var cells []string
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, strings.Join(strings.Fields(p.inline(c)), " "))
		}
		return []string{strings.Join(cells, "\t")}
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		return strings.Split(p.inline(n), "\n")
	default:
		return p.blocks(n, true)
	}
}

func (p plain) list(l *ast.List) (lines []string) {
	number := l.Start
	for n := l.FirstChild(); n != nil; n = n.NextSibling() {
		mark := "- "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if !l.IsTight && len(lines) > 0 {
			lines = append(lines, "")
		}
		item := p.blocks(n, !l.IsTight)
		if len(item) == 0 {
			item = []string{""}
		}
		lines = append(lines, indented(item, mark, strings.Repeat(" ", len(mark)))...)
	}
	return lines
}

// indented puts signs before the first line, and before the others.
func indented(lines []string, first, others string) []string {
	for i, line := range lines {
		if before := []string{first, others}[min(i, 1)]; line != "" {
			lines[i] = before + line
		} else {
			lines[i] = strings.TrimRight(before, " ")
		}
	}
	return lines
}

// inline is the text of what is in a node.
func (p plain) inline(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(p.text(n))
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(p))
		case *ast.RawHTML:
			b.Write(n.Segments.Value(p))
		case *extast.TaskCheckBox:
			b.WriteString(map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked])
		case *ast.Link:
			b.WriteString(withAddress(p.inline(n), string(n.Destination)))
		case *ast.Image:
			b.WriteString(withAddress(p.inline(n), string(n.Destination)))
		default:
			b.WriteString(p.inline(n))
		}
	}
	return b.String()
}

func (p plain) text(t *ast.Text) string {
	value := t.Value(p)
	if !t.IsRaw() && t.Parent().Kind() != ast.KindCodeSpan {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	if t.SoftLineBreak() || t.HardLineBreak() {
		return string(value) + "\n"
	}
	return string(value)
}

// withAddress is a link as a text.
func withAddress(label, address string) string {
	switch label {
	case "":
		return address
	case address, strings.TrimPrefix(address, "mailto:"):
		return label
	}
	return label + " (" + address + ")"
}
