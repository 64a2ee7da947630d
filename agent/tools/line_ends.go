package tools

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

const lineEnds = "\r\n"

var plainEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// replacement is the edit of a text whose lines may end in \n, \r\n, or \r, whatever the
// model writes: lines that stay keep their end, and new ones get that of the lines around
// them.
type replacement struct {
	old, new string // with plain ends
	ends     []int  // for each line end of new: which of old's it is, or one of the below
}

const (
	endAfter  = -1 // that of the line in which the place ends
	endBefore = -2 // that of the line before
)

func newReplacement(old, now string) replacement {
	r := replacement{old: plainEnds.Replace(old), new: plainEnds.Replace(now)}
	line := 0 // of old, the first that no end of new has come from
	keep := func(text string) {
		for range strings.Count(text, "\n") {
			r.ends = append(r.ends, line)
			line++
		}
	}
	at := 0
	for _, e := range udiff.Lines(r.old, r.new) {
		keep(r.old[at:e.Start])
		r.change(r.old[e.Start:e.End], e.New, line)
		line += strings.Count(r.old[e.Start:e.End], "\n")
		at = e.End
	}
	keep(r.old[at:])
	return r
}

// change chooses the ends of lines that take the place of others, the first of which is
// line; of those that take no place it is that of the line before.
func (r *replacement) change(was, now string, line int) {
	had := strings.Count(was, "\n")
	for i := range strings.Count(now, "\n") {
		switch {
		case i < had:
			r.ends = append(r.ends, line+i)
		case was != "" && !strings.HasSuffix(was, "\n"):
			r.ends = append(r.ends, endAfter)
		default:
			r.ends = append(r.ends, endBefore)
		}
	}
}

// apply makes the edit at its places in a text, whose plain form the caller has.
func (r replacement) apply(text, plain string) string {
	var out strings.Builder
	p := spot{text: text}
	for {
		i := strings.Index(plain, r.old)
		if i < 0 {
			break
		}
		from := p.at
		p.forward(i)
		out.WriteString(text[from:p.at])
		r.write(&out, &p)
		plain = plain[i+len(r.old):]
	}
	out.WriteString(text[p.at:])
	return out.String()
}

// write writes what takes the place of the old text at p, and moves p behind that.
func (r replacement) write(out *strings.Builder, p *spot) {
	before := p.last
	had := p.forward(len(r.old))
	rest := r.new
	for _, from := range r.ends {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		end := before
		switch {
		case from >= 0:
			end = had[from]
		case before == "" && len(had) > 0:
			end = had[0]
		case before == "" || from == endAfter:
			end = p.next()
		}
		before = end
		out.WriteString(line + end)
	}
	out.WriteString(rest)
}

// spot is a place in a text, and the end of the line before it.
type spot struct {
	text  string
	at    int
	last  string // "" in the first line
	ahead int    // where the next end is, if it is not before at
}

// forward moves by bytes of the plain text, and returns the ends of lines on the way.
func (p *spot) forward(n int) (ends []string) {
	for n > 0 {
		i := strings.IndexAny(p.text[p.at:p.at+n], lineEnds)
		if i < 0 {
			p.at += n
			break
		}
		p.at += i
		p.last = endAt(p.text[p.at:])
		p.at += len(p.last)
		n -= i + 1
		ends = append(ends, p.last)
	}
	return ends
}

// next is the end of the line that p is in, or of the one before where the text ends.
func (p *spot) next() string {
	if p.ahead < p.at {
		p.ahead = len(p.text)
		if i := strings.IndexAny(p.text[p.at:], lineEnds); i >= 0 {
			p.ahead = p.at + i
		}
	}
	switch end := endAt(p.text[p.ahead:]); {
	case end != "":
		return end
	case p.last != "":
		return p.last
	default:
		return "\n"
	}
}

// endAt is the end of a line that a text begins with.
func endAt(text string) string {
	switch {
	case strings.HasPrefix(text, "\r\n"):
		return text[:2]
	case text != "" && strings.ContainsRune(lineEnds, rune(text[0])):
		return text[:1]
	default:
		return ""
	}
}
