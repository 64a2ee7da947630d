package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// formulas keeps formulas as the model wrote them: markdown would take the backslashes of
// \(…\) and \[…\] for escapes, and stars and lines in them for emphasis.
type formulas struct{}

func (formulas) Trigger() []byte { return []byte{'\\'} }

// Parse takes a formula that ends on its line.
func (formulas) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if len(line) < 2 {
		return nil
	}
	closing := map[byte]string{'(': `\)`, '[': `\]`}[line[1]]
	if closing == "" {
		return nil
	}
	n := bytes.Index(line[2:], []byte(closing))
	if n <= 0 {
		return nil
	}
	end := 2 + n + len(closing)
	block.Advance(end)
	return ast.NewRawTextSegment(segment.WithStop(segment.Start + end))
}
