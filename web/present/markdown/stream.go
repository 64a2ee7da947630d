package markdown

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/parser"

	catalogue "fusebox/views/text"
)

// rerenderShare is how much an open block must have grown, as a share of its
// length, before it is rendered again: that keeps a long list or table, which
// is one block, linear in its length.
const rerenderShare = 32

// streamBlock is one block of a text that is still being written. Live marks
// an open code block: it grows by text alone and is highlighted when it closes.
type streamBlock struct {
	HTML     string
	Live     bool
	Language string
	fence    string // what closes a live block
	code     int    // where its code begins in the text
}

// Stream renders a growing text block by block: a finished block is
// rendered once, only the last one again. Its links and citations are text until it is
// whole: only then is it known where they lead.
type Stream struct {
	// Text writes the labels, in the reader's language.
	Text     *catalogue.Printer
	Src      []byte
	done     int // src before it is in finished blocks
	rendered int // len(src) when the open block was rendered
	Blocks   []streamBlock
	open     bool // the last block is not finished
	refs     parser.Context
	outline  outline // after the finished blocks
}

// Write adds text and returns the index of the first block that changed, -1
// where none did; all blocks after it are new. grown is not "" where the only
// change is text at the end of the live code block.
func (m *Stream) Write(delta string) (from int, grown string) {
	m.Src = append(m.Src, delta...)
	if len(m.Src) > maxMarkdown { // its message shows it plain
		m.Src = m.Src[:maxMarkdown]
		return -1, ""
	}
	if m.open && m.Blocks[len(m.Blocks)-1].Live {
		if grown, ok := m.growCode(); ok {
			return -1, grown
		}
	} else if len(m.Src)-m.rendered < (len(m.Src)-m.done)/rerenderShare {
		return -1, ""
	}
	from = len(m.Blocks)
	if m.open {
		from--
		m.Blocks = m.Blocks[:from]
	}
	m.finishBlocks()
	m.renderOpen()
	return from, ""
}

// finishBlocks renders the blocks that no further line can change: those before
// the last one that has begun with a whole line.
func (m *Stream) finishBlocks() {
	tail := m.Src[m.done:]
	whole := strings.LastIndexByte(string(tail), '\n') + 1
	if whole == 0 || tangled(string(tail[:whole])) {
		return
	}
	if m.refs == nil {
		m.refs = parser.NewContext()
	}
	starts := blockStarts(tail[:whole], m.refs)
	for i := 1; i < len(starts); i++ {
		var out string
		if out, m.outline = renderBlock(m.Text, string(tail[starts[i-1]:starts[i]]), m.refs, m.outline); out != "" {
			m.Blocks = append(m.Blocks, streamBlock{HTML: out})
		}
	}
	m.done += starts[len(starts)-1]
}

// renderOpen renders what is left as the open block.
func (m *Stream) renderOpen() {
	tail := string(m.Src[m.done:])
	m.rendered = len(m.Src)
	b, ok := openFence(tail)
	b.code += m.done
	if !ok {
		html, _ := renderBlock(m.Text, tail, m.refs, m.outline)
		b = streamBlock{HTML: html}
	}
	m.open = b.Live || b.HTML != ""
	if m.open {
		m.Blocks = append(m.Blocks, b)
	}
}

// growCode returns what is new in the live code block; false once its fence closes.
func (m *Stream) growCode() (string, bool) {
	last := m.Blocks[len(m.Blocks)-1]
	line := max(last.code, bytes.LastIndexByte(m.Src[:m.rendered], '\n')+1)
	if closes(string(m.Src[line:]), last.fence) {
		return "", false
	}
	grown := string(m.Src[m.rendered:])
	m.rendered = len(m.Src)
	return grown, true
}

// Code is the text of a live block.
func (m *Stream) Code(b streamBlock) string { return string(m.Src[b.code:m.rendered]) }

var fenceLine = regexp.MustCompile("^ {0,3}(```+|~~~+)[ \t]*([^`\n]*)\n")

// openFence reads a text that is one unclosed fenced code block.
func openFence(s string) (streamBlock, bool) {
	m := fenceLine.FindStringSubmatch(s)
	if m == nil || closes(s[len(m[0]):], m[1]) {
		return streamBlock{}, false
	}
	language, _, _ := strings.Cut(strings.TrimSpace(m[2]), " ")
	return streamBlock{Live: true, Language: codeLanguage(language), fence: m[1], code: len(m[0])}, true
}

func closes(code, fence string) bool {
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if len(line) >= len(fence) && strings.Trim(line, fence[:1]) == "" {
			return true
		}
	}
	return false
}
