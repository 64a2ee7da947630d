package loop

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
)

// portion holds text back until a portion of it is there. Nothing is lost: what
// goes in comes out in the same order. Each character is looked at once.
type portion struct {
	mode    agent.OutputMode
	pending []byte
	end     int // of the last whole sentence or line in pending
	word    int // where the current word begins in pending
	// Of the current line: its first three characters, how many words are over,
	// and whether inline code is open.
	head   string
	words  int
	code   bool
	last   rune
	fenced bool // inside a code fence, which goes out line by line
}

// push takes a piece and returns what may be shown now.
func (p *portion) push(text string) string {
	switch p.mode {
	case agent.OutputWhole:
		p.pending = append(p.pending, text...)
		return ""
	case agent.OutputSentence:
		p.scan(text)
		out := string(p.pending[:p.end])
		p.pending = append(p.pending[:0], p.pending[p.end:]...)
		p.word, p.end = max(p.word-p.end, 0), 0
		return out
	default:
		return text
	}
}

// flush returns what is left.
func (p *portion) flush() string {
	text := string(p.pending)
	p.pending, p.end, p.word = p.pending[:0], 0, 0
	return text
}

func (p *portion) scan(text string) {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		start := len(p.pending)
		p.pending = append(p.pending, text[:size]...)
		text = text[size:]
		switch {
		case r == '\n':
			p.fenced = p.fenced != (p.head == "```")
			p.end, p.word = len(p.pending), len(p.pending)
			p.head, p.words, p.code = "", 0, false
		case unicode.IsSpace(r):
			if p.sentenceEnds(start) {
				p.end = start // the space belongs to the next one
			}
			if start > p.word {
				p.words++
			}
			p.word = len(p.pending)
		case !p.fenced && !p.code && strings.ContainsRune("。！？", r): // they end a sentence without white space behind them
			p.end = len(p.pending)
		}
		if len(p.head) < len("```") && !unicode.IsSpace(r) {
			p.head += string(r)
		}
		if r == '`' {
			p.code = !p.code
		}
		p.last = r
	}
}

// abbreviations do not end a sentence.
var abbreviations = []string{
	"e.g", "i.e", "etc", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "no", "fig", "approx", "inc", "ltd", "u.s", "a.m", "p.m", "z.b", "d.h",
}

// sentenceEnds reports whether the word that ends at i closes a sentence: it is
// no abbreviation, no initial and no number of a list.
func (p *portion) sentenceEnds(i int) bool {
	if p.fenced || p.code || i <= p.word {
		return false
	}
	switch p.last {
	case '!', '?':
		return true
	case '.':
		word := strings.ToLower(strings.Trim(string(p.pending[p.word:i]), `("'[*_.`))
		isListNumber := p.words == 0 && strings.Trim(word, "0123456789") == ""
		return !isListNumber && !slices.Contains(abbreviations, word) && utf8.RuneCountInString(word) > 1
	default:
		return false
	}
}
