package reading

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"fusebox/agent"
)

const (
	maxSpan    = 1000 // columns or rows of a cell
	maxCarried = 200  // bytes of a cell that stands in several rows
)

func (w *htmlWriter) endLine() {
	if line := oneLine(w.line.String()); line != "" {
		w.lines = append(w.lines, line)
	}
	w.line.Reset()
}

// flush writes the block that is open, if there is anything in it.
func (w *htmlWriter) flush() {
	w.endLine()
	text := strings.Join(w.lines, "\n")
	w.lines = w.lines[:0]
	switch {
	case text == "":
		return
	case w.cell != nil:
		*w.cell = append(*w.cell, text)
	case w.item:
		w.b.write(strings.Repeat("  ", max(w.lists-1, 0)) + "- " + text + "\n")
	default:
		w.b.write(text + "\n")
	}
	w.item = false
}

// gap leaves an empty line behind a paragraph.
func (w *htmlWriter) gap() {
	if w.cell == nil && w.lists == 0 {
		w.b.gap()
	}
}

// blocks is the text of an element, one block a line. Nothing else may be open.
func (w *htmlWriter) blocks(n *html.Node, l htmlLook) string {
	var blocks []string
	w.cell = &blocks
	w.children(n, l)
	w.flush()
	w.cell = nil
	return strings.Join(blocks, "\n")
}

func (w *htmlWriter) heading(n *html.Node, l htmlLook) {
	w.flush()
	if w.cell != nil {
		w.children(n, l)
		w.flush()
	} else if text := w.blocks(n, l); text != "" {
		level, _ := strconv.Atoi(n.Data[1:])
		w.b.heading(level, text)
	}
}

// code writes lines that stay as they are.
func (w *htmlWriter) code(n *html.Node, l htmlLook) {
	w.flush()
	if w.cell != nil {
		w.children(n, l)
		w.flush()
		return
	}
	w.b.begin(agent.Section{Kind: agent.KindCode})
	w.verbatim(n, l)
	w.b.write(w.line.String())
	w.line.Reset()
	w.b.end()
}

func (w *htmlWriter) verbatim(n *html.Node, l htmlLook) {
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode:
			w.text(child.Data, l)
		case child.DataAtom == atom.Br:
			w.line.WriteByte('\n')
		case child.Type == html.ElementNode:
			w.verbatim(child, w.enter(child, l))
		}
	}
}

// table writes the rows of a table. One that has others in it only arranges what is on the page.
func (w *htmlWriter) table(n *html.Node, l htmlLook) {
	w.flush()
	if w.cell != nil || hasTable(n) {
		w.children(n, l)
		w.flush()
		return
	}
	t := htmlTable{w: w, carried: map[int]carried{}}
	t.rows(n, l)
	w.b.end()
}

func hasTable(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Table {
			return true
		}
	}
	return false
}

type htmlTable struct {
	w       *htmlWriter
	begun   bool
	carried map[int]carried // by column
}

// carried is a cell that stands in the next rows, too.
type carried struct {
	rows int
	text string
}

func (t *htmlTable) rows(n *html.Node, l htmlLook) {
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode || t.w.b.isFull {
			continue
		}
		inner := t.w.enter(child, l)
		switch child.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot:
			t.rows(child, inner)
		case atom.Tr:
			t.row(child, inner)
		default:
			t.w.children(child, inner)
			t.w.flush()
		}
	}
}

// row writes one row; the first with several cells says what the columns are.
func (t *htmlTable) row(tr *html.Node, l htmlLook) {
	var cells []string
	for child := range tr.ChildNodes() {
		if child.DataAtom != atom.Td && child.DataAtom != atom.Th || len(cells) >= maxColumns {
			continue
		}
		cells = t.fill(cells)
		text := t.w.blocks(child, t.w.enter(child, l))
		rows, columns := span(child, "rowspan"), span(child, "colspan")
		for i := range min(columns, maxColumns-len(cells)) {
			if rows > 1 {
				t.carried[len(cells)] = carried{rows - 1, agent.ClipBytes(text, maxCarried)}
			}
			if i > 0 {
				text = ""
			}
			cells = append(cells, text)
		}
	}
	cells = t.fill(cells)
	switch {
	case strings.Join(cells, "") == "":
	case t.begun:
		t.w.b.row(cells)
	case len(cells) > 1:
		t.w.b.begin(agent.Section{Kind: agent.KindTable, Head: tableLine(cells)})
		t.w.b.row(cells)
		t.begun = true
	default:
		t.w.b.write(cells[0] + "\n")
	}
}

// fill adds the cells of rows above that stand in this one, too.
func (t *htmlTable) fill(cells []string) []string {
	for c, ok := t.carried[len(cells)]; ok && len(cells) < maxColumns; c, ok = t.carried[len(cells)] {
		if c.rows--; c.rows == 0 {
			delete(t.carried, len(cells))
		} else {
			t.carried[len(cells)] = c
		}
		cells = append(cells, c.text)
	}
	return cells
}

func span(cell *html.Node, name string) int {
	n, _ := strconv.Atoi(attribute(cell, name))
	return min(max(n, 1), maxSpan)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
