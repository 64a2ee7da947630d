package passages

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
)

// place is how good a place is to cut a text at.
type place int

const (
	afterParagraph place = iota
	afterSentence
	afterLine
	afterClause // of a sentence, or after the cell of a row
	afterSpace
	anywhere
	nowhere
)

// window is a part of a text: as many characters as a passage may have, and the one that
// follows.
type window struct {
	kind  agent.SectionKind
	signs []rune
	ends  []int // where each of the signs is in the text
	sizes []int // the size of what is before
	// fence is where a block of code begins that does not end here, and fits a passage of its own.
	fence  int
	fenced []bool // the signs in blocks of code
}

// windowOf is the window that begins at a byte of a text. Of the blocks of code it is given
// those that end after it.
func windowOf(text string, at, most int, kind agent.SectionKind, fences [][2]int) *window {
	w := &window{kind: kind}
	size := 0
	for i, r := range text[at:] {
		w.signs, w.ends, w.sizes = append(w.signs, r), append(w.ends, at+i), append(w.sizes, size)
		if size += sizeOf(r); size > most {
			break
		}
	}
	w.fenced = make([]bool, len(w.signs))
	end := w.ends[len(w.ends)-1]
	for _, f := range fences {
		if f[0] >= end {
			break
		}
		first, _ := slices.BinarySearch(w.ends, f[0])
		for i := first; i < len(w.ends) && w.ends[i] < f[1]; i++ {
			w.fenced[i] = w.ends[i] > f[0]
		}
		if f[0] > at && f[1] > end && measure(text[f[0]:f[1]], limit) <= limit {
			w.fence = f[0]
		}
	}
	return w
}

// fencesOf are the blocks between lines of ``` or ~~~ in a text, from a byte of it on.
func fencesOf(text string, at int) (fences [][2]int) {
	begin, fence := 0, ""
	for line := range strings.Lines(text[at:]) {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence, begin = mark, at
		case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark:
			fences = append(fences, [2]int{begin, at + len(line)})
			fence = ""
		}
		at += len(line)
	}
	if fence != "" {
		fences = append(fences, [2]int{begin, len(text)})
	}
	return fences
}

// fenceOf is the fence at the beginning of a line.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, sign := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, sign)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// cut is the byte at which the window is cut best.
func (w *window) cut(most int) int {
	if w.fence > 0 {
		return w.fence
	}
	var last [nowhere]int
	for i := 1; i < len(w.signs); i++ {
		if p := w.place(i); p < nowhere {
			last[p] = i
		}
	}
	lines := w.kind == agent.KindTable || w.kind == agent.KindCode
	paragraph, sentence, line := last[afterParagraph], max(last[afterParagraph], last[afterSentence]), max(last[afterParagraph], last[afterLine])
	switch {
	case w.kind != agent.KindTable && w.sizes[paragraph] >= most*5/8:
		return w.ends[paragraph]
	case !lines && w.sizes[sentence] >= least:
		return w.ends[sentence]
	case lines && line > 0:
		return w.ends[line]
	}
	for _, i := range last[afterLine:] {
		if w.sizes[i] >= least {
			return w.ends[i]
		}
	}
	return w.ends[len(w.ends)-1]
}

// place is how good it is to cut before the sign i. White space belongs to what is before.
func (w *window) place(i int) place {
	if unicode.IsSpace(w.signs[i]) || unicode.IsMark(w.signs[i]) {
		return nowhere
	}
	j := i
	for j > 0 && unicode.IsSpace(w.signs[j-1]) {
		j--
	}
	lines := 0
	for _, r := range w.signs[j:i] {
		if r == '\n' || r == '\f' {
			lines++
		}
	}
	fenced := w.fenced[i]
	switch {
	case lines > 1 && !fenced:
		return afterParagraph
	case w.kind != agent.KindTable && w.kind != agent.KindCode && !fenced && w.sentenceEnds(j, i):
		return afterSentence
	case lines > 0:
		return afterLine
	case fenced:
		return nowhere
	case j > 0 && (strings.ContainsRune("，、：", w.signs[j-1]) || j < i && strings.ContainsRune(",;:|", w.signs[j-1])):
		return afterClause
	case j < i:
		return afterSpace
	case w.signs[i-1] >= utf8.RuneSelf || w.signs[i] >= utf8.RuneSelf:
		return anywhere
	}
	return nowhere
}

// The signs at which sentences end, and those that belong to a sentence that has ended.
const (
	stops   = "。！？；…"
	closers = "”’」』》〉）］】〕\"')]}»"
)

// sentenceEnds reports whether the text before j, after which there is white space up to
// i, is the end of a sentence.
func (w *window) sentenceEnds(j, i int) bool {
	next := w.signs[i]
	if strings.ContainsRune(stops+".!?", next) || strings.ContainsRune(closers, next) && j == i {
		return false
	}
	for j > 0 && strings.ContainsRune(closers, w.signs[j-1]) {
		j--
	}
	if j == 0 {
		return false
	}
	switch stop := w.signs[j-1]; {
	case strings.ContainsRune(stops, stop):
		return true
	case stop == '!' || stop == '?':
		return w.signs[i-1] != stop || sizeOf(next) > 1
	case stop == '.':
		// A full stop is one before a word in upper case only, and not after an initial: No. 5, e.g. this, J. Bach.
		initial := j > 1 && unicode.IsLetter(w.signs[j-2]) && (j == 2 || !unicode.IsLetter(w.signs[j-3]))
		return !initial && (w.signs[i-1] != stop || sizeOf(next) > 1) && !unicode.IsLower(next) && !unicode.IsDigit(next)
	}
	return false
}
