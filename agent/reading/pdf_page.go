package reading

import (
	"html"
	"regexp"
	"strconv"
	"strings"
)

// maxPageWords of a page are read.
const maxPageWords = 200_000

// pdfPage is a page as pdftotext sees it.
type pdfPage struct {
	number        int
	width, height float64
	words         []pdfWord
}

// pdfWord is a word in reading order.
type pdfWord struct {
	box
	text        string
	line, block int // count over the page
	hidden      bool
}

// box is a place on a page in points. It grows to the right and down.
type box struct{ left, top, right, bottom float64 }

func (b box) width() float64  { return b.right - b.left }
func (b box) height() float64 { return b.bottom - b.top }

// overlaps reports whether the boxes share a place, which has to be more than an edge.
func (b box) overlaps(o box) bool {
	wide := min(b.right, o.right) - max(b.left, o.left)
	high := min(b.bottom, o.bottom) - max(b.top, o.top)
	return wide > 0 && high > 0 && wide > 0.3*min(b.width(), o.width()) && high > 0.5*min(b.height(), o.height())
}

// apart is the distance of two boxes beside each other, or below each other.
func (b box) apart(o box) float64 {
	return max(o.left-b.right, b.left-o.right, o.top-b.bottom, b.top-o.bottom)
}

// pdfPages reads the pages that pdftotext writes with -bbox-layout.
type pdfPages struct {
	*poppler
	title string
	count int
}

var (
	titleLine = regexp.MustCompile(`^<title>(.*)</title>$`)
	pageLine  = regexp.MustCompile(`^<page width="([\d.]+)" height="([\d.]+)">$`)
)

// next is the next page, or nil. Places that /Count promises and where no page is have no size.
func (p *pdfPages) next() *pdfPage {
	var page *pdfPage
	line, block := 0, 0
	for p.Scan() {
		text := strings.TrimLeft(p.Text(), " ")
		switch {
		case strings.HasPrefix(text, "<word ") && page != nil && len(page.words) < maxPageWords:
			if w, ok := wordOf(text); ok {
				w.line, w.block = line, block
				page.words = append(page.words, w)
			}
		case text == "</line>":
			line++
		case text == "</block>":
			block++
		case text == "</page>" && page != nil:
			return page
		case strings.HasPrefix(text, "<page "):
			if m := pageLine.FindStringSubmatch(text); m != nil && number(m[1]) > 0 && number(m[2]) > 0 {
				p.count++
				page = &pdfPage{number: p.count, width: number(m[1]), height: number(m[2])}
			}
		case p.count == 0 && strings.HasPrefix(text, "<title>"):
			if m := titleLine.FindStringSubmatch(text); m != nil {
				p.title = html.UnescapeString(m[1])
			}
		}
	}
	return page
}

// wordOf reads <word xMin="1.5" yMin="2.5" xMax="3.5" yMax="4.5">text</word>, of which there
// are too many for a regular expression.
func wordOf(line string) (w pdfWord, ok bool) {
	parts := strings.SplitN(line, `"`, 9)
	if len(parts) < 9 {
		return w, false
	}
	w.box = box{number(parts[1]), number(parts[3]), number(parts[5]), number(parts[7])}
	text, _ := strings.CutSuffix(parts[8], "</word>")
	w.text = html.UnescapeString(strings.TrimPrefix(text, ">"))
	return w, true
}

// number is a number in the output of a program.
func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64) // a malformed number counts as 0
	return n
}

// text is what is seen of the page: an empty line between blocks, and words that touch in one.
func (p *pdfPage) text() string {
	var text strings.Builder
	var line []pdfWord
	end := func() {
		text.WriteString(joinWords(line))
		line = line[:0]
	}
	last := pdfWord{line: -1}
	for _, w := range p.words {
		if w.hidden {
			continue
		}
		if w.line != last.line && last.line >= 0 {
			end()
			text.WriteString(strings.Repeat("\n", 1+min(1, w.block-last.block)))
		}
		line = append(line, w)
		last = w
	}
	end()
	return text.String()
}

// joinWords is a line of words, in the order in which people read it.
func joinWords(words []pdfWord) string {
	words = inReadingOrder(words)
	var text strings.Builder
	for i, w := range words {
		if i > 0 {
			before := words[i-1].box
			if before.apart(w.box) > 0.1*min(before.height(), before.width(), w.height(), w.width()) {
				text.WriteByte(' ')
			}
		}
		text.WriteString(w.text)
	}
	return text.String()
}
