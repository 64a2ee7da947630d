package markdown

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	catalogue "fusebox/views/text"
)

// direct has each paragraph, heading, item, and cell run in the direction of its own text.
// Code runs from left to right, and says nothing about the text around it.
func direct(n ast.Node) {
	switch n.Kind() {
	case ast.KindCodeSpan:
		n.SetAttributeString("dir", []byte("ltr"))
	case ast.KindHeading, ast.KindListItem, extast.KindTableCell:
		n.SetAttributeString("dir", []byte("auto"))
	case ast.KindParagraph:
		// The first paragraph of an item goes with its mark.
		if n.Parent().Kind() != ast.KindListItem || n.PreviousSibling() != nil {
			n.SetAttributeString("dir", []byte("auto"))
		}
	}
}

// emphasisTongue has emphasis set as its own text asks for, whatever language the page is
// in: Chinese has dots below, since it has no italics.
func emphasisTongue(n *ast.Emphasis, src []byte, page *catalogue.Printer) {
	chinese := isChinese(beginning(n, src))
	switch {
	case n.Level != 1 || chinese == (page.Language() == "zh"):
	case chinese:
		n.SetAttributeString("lang", []byte("zh"))
	default:
		n.SetAttributeString("lang", []byte(""))
	}
}

// maxLookedAt bounds what tells the language of emphasis, which may be nested without end.
const maxLookedAt = 32

// beginning is the text in the first nodes within n.
func beginning(n ast.Node, src []byte) string {
	var said strings.Builder
	seen := 0
	// The walker returns no error: it has none to give.
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if seen++; seen > maxLookedAt {
			return ast.WalkStop, nil
		}
		if t, ok := c.(*ast.Text); ok && entering {
			said.Write(t.Value(src))
		}
		return ast.WalkContinue, nil
	})
	return said.String()
}

// lettersOfHan is how many letters take the room of one Chinese character.
const lettersOfHan = 4

// isChinese reports whether most of a text is Chinese; what has kana is Japanese.
func isChinese(text string) bool {
	han, others := 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return false
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.IsLetter(r):
			others++
		}
	}
	return han > 0 && han*lettersOfHan >= others
}
