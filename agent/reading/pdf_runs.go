package reading

import (
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxRuns of a page are looked at.
const maxRuns = 50_000

// run is text that pdftohtml found drawn at one go.
type run struct {
	box
	text  string // as words are compared
	color [3]uint8
	clear bool // drawn with an opacity of almost nothing
}

// covers reports whether a word, as it is compared, is part of the run. Of a run that is
// turned only its beginning is known, and that its words are as wide as it is high.
func (r run) covers(w pdfWord, text string, anywhere bool) bool {
	turned := r.width() == 0 && math.Abs(r.height()-w.width()) < 0.1
	return (anywhere || turned || r.overlaps(w.box)) && strings.Contains(r.text, text)
}

// compared is a text as words and runs are compared.
func compared(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
}

// runPage is a page as pdftohtml sees it.
type runPage struct {
	width, height float64
	runs          []run
}

// runPages reads the pages that pdftohtml writes with -xml. It does not mask the names of
// fonts, so that a file can write lines of its own through them. But fonts come before the
// texts of their page, and page follows page: where a line is out of its order, nothing
// more is believed.
type runPages struct {
	*poppler
	count  int
	fonts  map[string]run
	forged bool
}

var (
	runPageLine = regexp.MustCompile(`^<page number="(\d+)" position="absolute" top="0" left="0" height="(\d+)" width="(\d+)">$`)
	fontLine    = regexp.MustCompile(`^\t<fontspec id="(\d+)" size="-?\d+" family="[^"<>]*" color="#([0-9a-f]{6})"(?: opacity="([\d.]+)")?/>$`)
	textLine    = regexp.MustCompile(`^<text top="(-?[\d.]+)" left="(-?[\d.]+)" width="(-?[\d.]+)" height="(-?[\d.]+)" font="(\d+)">(.*)</text>$`)
	markup      = regexp.MustCompile(`<[^>]*>`)
)

// next is the next page. It reports false where there is none that can be believed.
func (p *runPages) next() (page runPage, ok bool) {
	started := false
	for !p.forged && p.Scan() {
		line := p.Text()
		switch {
		case line == "</page>" && started:
			return page, true
		case strings.HasPrefix(line, "<page ") && !started:
			m := runPageLine.FindStringSubmatch(line)
			p.count++
			if started = m != nil && m[1] == strconv.Itoa(p.count); started {
				page.height, page.width = number(m[2]), number(m[3])
			}
			p.forged = !started
		case started && strings.HasPrefix(line, "\t<fontspec ") && len(page.runs) == 0:
			p.forged = !p.font(line)
		case started && strings.HasPrefix(line, "<text ") && len(page.runs) < maxRuns:
			r, known := p.run(line)
			page.runs, p.forged = append(page.runs, r), !known
		case started || strings.HasPrefix(line, "<text ") || strings.HasPrefix(line, "\t<fontspec ") || line == "</page>":
			p.forged = true
		}
	}
	return runPage{}, false
}

// font keeps the colour of a font. One that is known is not given another.
func (p *runPages) font(line string) bool {
	m := fontLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	if _, known := p.fonts[m[1]]; known {
		return false
	}
	color, err := strconv.ParseUint(m[2], 16, 24)
	p.fonts[m[1]] = run{
		color: [3]uint8{uint8(color >> 16), uint8(color >> 8), uint8(color)},
		clear: m[3] != "" && number(m[3]) < 0.1,
	}
	return err == nil
}

func (p *runPages) run(line string) (r run, ok bool) {
	m := textLine.FindStringSubmatch(line)
	if m == nil {
		return r, false
	}
	r, ok = p.fonts[m[5]]
	left, top := number(m[2]), number(m[1])
	r.box = box{left, top, left + math.Abs(number(m[3])), top + math.Abs(number(m[4]))}
	r.text = compared(html.UnescapeString(markup.ReplaceAllString(m[6], "")))
	return r, ok
}
