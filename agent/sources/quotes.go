package sources

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
)

// The bounds of quotations: how many of an answer are looked up, how many bytes one has, how
// long it is at least that its words are looked for, and how many characters may be between it
// and its mark.
const (
	maxQuotes = 50
	maxQuote  = 4 << 10
	minQuote  = 12 // of Latin letters, or half as many Chinese characters
	maxGap    = 12
)

// closers are the marks that end a quotation, with the ones that begin it.
var closers = map[rune]string{'"': `"`, '”': "“", '“': "„", '」': "「", '』': "『", '»': "«"}

// quotes looks up what a text quotes in its sources, and in what other runs have read of those.
type quotes struct {
	found    *list
	branchOf func(runID string) []agent.Message
	words    map[int][]string // of the sources, folded
	runs     map[string]*list // what other runs have found
}

// check notes which of the sources that a text cites do not have the words that it quotes
// before their marks. Where a quotation has several sources, one of them has to have it.
func (q quotes) check(text string, marks []citing, cited []agent.Citation) {
	looked := 0
	for i := 0; i < len(marks) && looked < maxQuotes; {
		first, from := i, 0
		if i > 0 {
			from = marks[i-1].to
		}
		for i++; i < len(marks) && isGap(text[marks[i-1].to:marks[i].from], ", "); i++ {
		}
		end := marks[i-1].to
		behind, _, _ := strings.Cut(text[end:min(end+maxGap, len(text))], "\n")
		quote := quoteBefore(text[:marks[first].from], from, isGap(behind, gap))
		if quote == "" {
			continue
		}
		looked++
		of := stoodFor(marks[first:min(i, first+maxMarkKeys)], cited)
		if slices.ContainsFunc(of, func(j int) bool { return q.mayHave(cited[j], quote) }) {
			continue
		}
		for _, j := range of {
			cited[j].Misquoted = true
		}
	}
}

// stoodFor are the sources that marks stand for, by their index.
func stoodFor(marks []citing, cited []agent.Citation) (of []int) {
	for j, c := range cited {
		stands := func(key string) bool {
			return slices.ContainsFunc(marks, func(m citing) bool { return slices.Contains(m.keys, key) })
		}
		if slices.ContainsFunc(Keys(c), stands) {
			of = append(of, j)
		}
	}
	return of
}

// mayHave reports whether a source has the words of a quotation, or may have them: not all of it was read.
func (q quotes) mayHave(c agent.Citation, quote string) bool {
	texts, known := q.words[c.N]
	if !known {
		read, whole := q.textsOf(q.found, c, map[string]bool{})
		for _, text := range read {
			texts = append(texts, fold(c.Name+"\n"+text))
		}
		if !whole {
			texts = nil
		}
		q.words[c.N] = texts
	}
	return len(texts) == 0 || slices.ContainsFunc(texts, func(text string) bool { return says(text, quote) })
}

// textsOf are the texts of a source as the run that has found it, and those that have handed it
// over, have read them; whole is false where not all was read. seen are the runs that were asked.
func (q quotes) textsOf(found *list, c agent.Citation, seen map[string]bool) (texts []string, whole bool) {
	texts, whole = found.textsOf(c)
	for _, run := range found.from[c.N] {
		if seen[run] || !whole {
			continue
		}
		seen[run] = true
		theirs, known := q.runs[run]
		if !known {
			var l Ledger
			l.Read(q.branchOf(run))
			theirs = &l.found
			q.runs[run] = theirs
		}
		if same, ok := theirs.get(c); ok {
			var more []string
			more, whole = q.textsOf(theirs, same, seen)
			texts = append(texts, more...)
		}
	}
	return texts, whole
}

// quoteBefore is the quotation that ends right before a mark, where a text ends, and is behind
// from; "" for none that is long enough to be looked for. A block quotation is one only where the
// mark ends its line.
func quoteBefore(text string, from int, endsLine bool) string {
	from = max(from, len(text)-maxQuote)
	if i := strings.LastIndex(text[from:], "\n\n"); i >= 0 && !isGap(text[from+i:], gap) {
		from += i
	}
	quote := inQuotes(text, from)
	if quote == "" && endsLine {
		quote = inBlock(text[from:])
	}
	if width(fold(quote)) < minQuote {
		return ""
	}
	return quote
}

// gap are the characters that may be between a quotation and its mark.
const gap = " \t\r\n.,;:!?。，、；：！？*_()（）-–—>"

func isGap(text, of string) bool { return strings.Trim(text, of) == "" }

// inQuotes is what stands in quotation marks at the end of a text.
func inQuotes(text string, from int) string {
	before := text[from:]
	end := strings.TrimRight(before, gap)
	closer, size := utf8.DecodeLastRuneInString(end)
	opener := closers[closer]
	if opener == "" || utf8.RuneCountInString(before[len(end):]) > maxGap || strings.Contains(before[len(end):], "\n\n") {
		return ""
	}
	end = end[:len(end)-size]
	i := strings.LastIndex(end, opener)
	if i < 0 && closer == '”' {
		opener = `"`
		i = strings.LastIndex(end, opener)
	}
	if i < 0 {
		return ""
	}
	r, _ := utf8.DecodeLastRuneInString(text[:from+i])
	if opener == `"` && r < '⺀' && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return "" // inches, or the end of another quotation
	}
	return end[i+len(opener):]
}

var (
	quoteLine   = regexp.MustCompile(`^ {0,3}>[ \t]?(.*)`)
	attribution = regexp.MustCompile(`^(?:[—–―]|--|- )`)
	callout     = regexp.MustCompile(`^(?:\[!|\*\*|__|\p{So})`)
)

// inBlock is the paragraph of a block quotation that a text ends with, without a line that says
// whose it is. A note with a label looks the same, and quotes nobody.
func inBlock(before string) string {
	var quoted []string
	lines := strings.Split(strings.TrimRight(before, gap), "\n")
	for _, line := range slices.Backward(lines) {
		m := quoteLine.FindStringSubmatch(line)
		if m == nil || strings.TrimSpace(m[1]) == "" {
			break
		}
		if !attribution.MatchString(m[1]) {
			quoted = append(quoted, m[1])
		}
	}
	slices.Reverse(quoted)
	if len(quoted) == 0 || callout.MatchString(quoted[0]) {
		return ""
	}
	return strings.Join(quoted, "\n")
}
