package reading

import (
	"slices"
	"strings"
)

// maxCompared bounds how many bytes of runs the words of a page are compared with.
const maxCompared = 200 << 20

// sight finds what people do not see of a PDF: a second reader tells colours, and whether
// text is drawn at all, and a picture of the page tells what lies behind it.
type sight struct {
	start    starter
	path     string
	drawn    *runPages       // what is drawn
	all      *runPages       // and with that what is only there
	pictures map[int]float64 // pages to the area of their pictures
}

func newSight(start starter, path string) *sight {
	runs := func(more ...string) *runPages {
		args := slices.Concat([]string{"-q", "-xml", "-i", "-zoom", "1", "-noroundcoord", "-nodrm", "-stdout"}, more, []string{path})
		p, err := start("pdftohtml", args...)
		if err != nil {
			return nil
		}
		return &runPages{poppler: p, fonts: map[string]run{}}
	}
	return &sight{start: start, path: path, drawn: runs(), all: runs("-hidden")}
}

func (s *sight) stop() {
	for _, p := range []*runPages{s.drawn, s.all} {
		if p != nil {
			p.stop()
		}
	}
}

// check marks the words of a page that are not seen, and counts the runs of them, with those
// outside of the page, which are not among its words. It reports whether it is sure of all words.
func (s *sight) check(p *pdfPage) (hidden int, sure bool) {
	hidden = p.hideTiny()
	if s.drawn == nil || s.all == nil {
		return hidden, false
	}
	drawn, ok := s.drawn.next()
	all, whole := s.all.next()
	if !ok || !whole {
		return hidden, false
	}
	l := pageLook{sight: s, page: p, drawn: drawn.runs, anywhere: drawn.width != float64(int(p.width)) || drawn.height != float64(int(p.height))}
	l.sort(all.runs)
	for _, r := range all.runs {
		if r.width() > 0 && (r.left >= all.width || r.right <= 0 || r.top >= all.height || r.bottom <= 0) {
			hidden++
		}
	}
	if len(l.suspects) == 0 {
		return hidden, true
	}
	sure = l.words()
	for _, r := range l.suspects {
		if r.hides {
			hidden++
		}
	}
	return hidden, sure && !l.anywhere
}

// pageLook is how a page with text in it that may not be seen is looked at.
type pageLook struct {
	*sight
	page     *pdfPage
	drawn    []run
	honest   []run     // drawn in a colour that a white page shows
	suspects []suspect // all others
	anywhere bool      // the readers count from other corners, so that places do not tell
	picture  *ground
}

// suspect is a run that may not be seen.
type suspect struct {
	run
	drawn bool
	hides bool // words of the page
}

// sort parts what is seen for certain from what may not be.
func (l *pageLook) sort(all []run) {
	drawn := map[run]int{}
	for _, r := range l.drawn {
		drawn[r]++
		if min(r.color[0], r.color[1], r.color[2]) >= 0xb0 || r.clear { // a white page would not show it
			l.suspects = append(l.suspects, suspect{run: r, drawn: true})
		} else {
			l.honest = append(l.honest, r)
		}
	}
	for _, r := range all {
		if drawn[r]--; drawn[r] < 0 {
			l.suspects = append(l.suspects, suspect{run: r})
		}
	}
}

// words marks those that are covered by suspects only. It reports whether it is sure of all.
func (l *pageLook) words() (sure bool) {
	bytes := 0
	for _, r := range l.honest {
		bytes += 1 + len(r.text)
	}
	for _, r := range l.suspects {
		bytes += 1 + len(r.text)
	}
	if bytes > maxCompared/(len(l.page.words)+1) {
		return false
	}
	sure = true
	for i, w := range l.page.words {
		text := compared(w.text)
		if w.hidden || slices.ContainsFunc(l.honest, func(r run) bool { return r.covers(w, text, l.anywhere) }) {
			continue
		}
		cover, seen := -1, false
		for n, r := range l.suspects {
			if !seen && r.covers(w, text, l.anywhere) {
				isSeen, known := l.seen(w, r)
				cover, seen, sure = n, isSeen, sure && known
			}
		}
		if cover >= 0 && !seen {
			l.page.words[i].hidden, l.suspects[cover].hides = true, true
		}
	}
	return sure
}

// seen reports whether a word of a suspect run is seen, and whether that is known. Text that
// is not drawn over a picture is what a program has read of it, as scanners store it: it is
// kept, but nobody knows whether the picture says so. Where there is no picture of the
// page to look at, light text counts as hidden.
func (l *pageLook) seen(w pdfWord, r suspect) (seen, known bool) {
	switch {
	case r.clear:
		return false, true
	case !r.drawn:
		read := l.pictured() && !slices.ContainsFunc(l.drawn, func(d run) bool { return d.overlaps(w.box) })
		return read, !read
	}
	if l.picture == nil {
		l.picture = paint(l.start, l.path, l.page)
	}
	like, ok := l.picture.like(w.box, r.color)
	return ok && !like, ok
}

// pictured reports whether half of the page or more is pictures.
func (l *pageLook) pictured() bool {
	if l.pictures == nil {
		l.pictures = pictures(l.start, l.path)
	}
	return 2*l.pictures[l.page.number] >= l.page.width*l.page.height
}

// hideTiny marks the words that are too small to be seen. Those of one line count as one run.
func (p *pdfPage) hideTiny() (runs int) {
	line := -1
	for i, w := range p.words {
		if w.height() >= 1 && w.width() >= 0.2 {
			continue
		}
		p.words[i].hidden = true
		if w.line != line {
			runs++
		}
		line = w.line
	}
	return runs
}

// pictures are the areas of the pictures on each page, in points.
func pictures(start starter, path string) map[int]float64 {
	areas := map[int]float64{}
	p, err := start("pdfimages", "-list", path)
	if err != nil {
		return areas
	}
	defer p.stop()
	for p.Scan() {
		f := strings.Fields(p.Text())
		if len(f) < 12 || f[2] != "image" {
			continue
		}
		width, height := number(f[3])/number(f[len(f)-4]), number(f[4])/number(f[len(f)-3])
		areas[int(number(f[0]))] += 72 * 72 * width * height
	}
	return areas
}
