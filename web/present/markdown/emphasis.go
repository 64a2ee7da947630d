package markdown

import (
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// emphases read stars, underscores, and tildes. CommonMark tells an opening mark from a
// closing one by spaces and punctuation, which Chinese, Japanese, and Korean put elsewhere:
// the amendment for these languages is followed here. A single tilde is one: it stands
// before numbers and between them.
type emphases struct{}

// Extend implements goldmark.Extender.
func (emphases) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(
		util.Prioritized(&marks{trigger: "*_", least: 1, most: maxMarkdown, node: func(n int) ast.Node { return ast.NewEmphasis(n) }}, 400),
		util.Prioritized(&marks{trigger: "~", least: 2, most: 2, node: func(int) ast.Node { return extast.NewStrikethrough() }}, 400),
	))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500)))
}

// marks are the characters that open and close one kind of emphasis, least to most of them in a row.
type marks struct {
	trigger     string
	least, most int
	node        func(consumed int) ast.Node
}

// Trigger implements parser.InlineParser.
func (m *marks) Trigger() []byte { return []byte(m.trigger) }

// IsDelimiter implements parser.DelimiterProcessor.
func (m *marks) IsDelimiter(b byte) bool {
	return b == m.trigger[0] || b == m.trigger[len(m.trigger)-1]
}

// CanOpenCloser implements parser.DelimiterProcessor.
func (*marks) CanOpenCloser(opener, closer *parser.Delimiter) bool { return opener.Char == closer.Char }

// OnMatch implements parser.DelimiterProcessor.
func (m *marks) OnMatch(consumed int) ast.Node { return m.node(consumed) }

// Parse implements parser.InlineParser.
func (m *marks) Parse(_ ast.Node, block text.Reader, ctx parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	run := parser.ScanDelimiter(line, before, m.least, m)
	if run == nil || run.OriginalLength > m.most || m.least > 1 && before == rune(run.Char) {
		return nil
	}
	amend(run, before, block.Source()[:segment.Start], line[run.OriginalLength:])
	run.Segment = segment.WithStop(segment.Start + run.OriginalLength)
	block.Advance(run.OriginalLength)
	ctx.PushDelimiter(run)
	return run
}

// amend has a run of marks open or close by the amended rules of CommonMark, where CJK
// text is beside it. Elsewhere they say what CommonMark says.
func amend(run *parser.Delimiter, before rune, head, tail []byte) {
	cjkBefore, cjkAfter := touchesCJK(head, lastRune), touchesCJK(tail, firstRune)
	if !cjkBefore && !cjkAfter {
		return
	}
	after, _ := firstRune(tail)
	foreignBefore, foreignAfter := util.IsPunctRune(before) && !cjkBefore, util.IsPunctRune(after) && !cjkAfter
	spaceBefore, spaceAfter := util.IsSpaceRune(before), len(tail) == 0 || util.IsSpaceRune(after)
	left := !spaceAfter && (!foreignAfter || spaceBefore || foreignBefore || cjkBefore)
	right := !spaceBefore && (!foreignBefore || spaceAfter || foreignAfter || cjkAfter)
	run.CanOpen, run.CanClose = left, right
	if run.Char == '_' { // not within a word
		run.CanOpen = left && (!right || util.IsPunctRune(before))
		run.CanClose = right && (!left || util.IsPunctRune(after))
	}
}

// maxPunctuation is how many characters of punctuation are looked past for CJK text.
const maxPunctuation = 4

// touchesCJK reports whether CJK text is nearest, at most behind punctuation: the colon of
// 注意: and the quotes of “重点” belong to it, though Latin text has the same ones.
func touchesCJK(text []byte, next func([]byte) (rune, []byte)) bool {
	for range maxPunctuation + 1 {
		r, rest := next(text)
		switch {
		case unicode.Is(cjk, r):
			return true
		case r == '*' || r == '_' || r == '~' || !util.IsPunctRune(r) && !unicode.Is(unicode.Variation_Selector, r):
			return false
		}
		text = rest
	}
	return false
}

func firstRune(text []byte) (rune, []byte) {
	r, n := utf8.DecodeRune(text)
	return r, text[n:]
}

func lastRune(text []byte) (rune, []byte) {
	r, n := utf8.DecodeLastRune(text)
	return r, text[:len(text)-n]
}

// cjk are the blocks of Chinese, Japanese, and Korean characters, with their punctuation,
// and what is wide or narrow in them.
var cjk = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x11ff, Stride: 1}, {Lo: 0x2329, Hi: 0x232a, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, {Lo: 0xa960, Hi: 0xa97f, Stride: 1}, {Lo: 0xac00, Hi: 0xd7ff, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe10, Hi: 0xfe1f, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff01, Hi: 0xffee, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18dff, Stride: 1}, {Lo: 0x1aff0, Hi: 0x1b2ff, Stride: 1}, {Lo: 0x1f200, Hi: 0x1f2ff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}
