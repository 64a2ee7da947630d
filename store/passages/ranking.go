package passages

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"fusebox/agent"
	"fusebox/agent/ranking"
)

// candidate is a passage that was read, to be ranked.
type candidate struct {
	passage
	found   agent.Found
	matched map[string]bool // the terms of the question that it has
	words   map[string]bool // the terms of its text that have no digit
	also    []string        // the terms of words that say the same as those of the question
	said    []float64       // how much what says the same as each word of the question tells
}

// What decides the order, found by measuring: see the test of recall.
const (
	// neighbourWeight is what two terms count that are neighbours in the question and in the passage.
	neighbourWeight = 0.5
	// enough is the share of a question, by the rarity of its terms, that a passage has to
	// have; alone is the share where all that it has is in one place of the question.
	enough, alone = 0.18, 0.3
	// longQuestion is the number of rare terms from which on a question needs no more of them.
	longQuestion = 10
	// same is the share of their words that two texts have in common that say the same.
	same = 0.95
	// perDocument is the number of passages of one document among the first firstFound.
	perDocument, firstFound = 3, 10
)

// best ranks passages, merges them with those that are near by meaning, and returns the first.
func (q *question) best(read, near []candidate, limit int) []agent.Found {
	for i := range read {
		q.judge(&read[i])
	}
	read = slices.DeleteFunc(read, func(c candidate) bool { return !q.answers(c) })
	slices.SortStableFunc(read, func(a, b candidate) int { return cmp.Compare(b.found.Score, a.found.Score) })
	read = q.fuse(read, near)
	if q.isOfUnknown(read) {
		return nil
	}
	var kept []*candidate
	of := map[string]int{}
	for i := range read {
		c := &read[i]
		if like := slices.IndexFunc(kept, c.saysSame); like >= 0 {
			kept[like].found.More++
			continue
		}
		if of[c.found.DocumentID] >= perDocument && len(kept) < firstFound {
			continue
		}
		of[c.found.DocumentID]++
		kept = append(kept, c)
	}
	var names []string
	for _, t := range q.terms {
		names = append(names, t.Text)
	}
	var found []agent.Found
	for _, c := range kept[:min(len(kept), limit)] {
		c.found.Text, c.found.Head = c.text, c.head
		if c.headings != "" {
			c.found.Headings = strings.Split(c.headings, "\n")
		}
		c.found.Marks = ranking.Find(c.text, append(slices.Clip(names), c.also...))
		found = append(found, c.found)
	}
	return found
}

// judge scores a passage by all of its terms that are asked for, by those that are neighbours,
// and by words that say the same as those of the question that it lacks.
func (q *question) judge(c *candidate) {
	all := c.all()
	terms := ranking.Terms(all)
	c.words = map[string]bool{}
	counts, neighbours := map[string]float64{}, map[[2]string]float64{}
	before := ranking.Term{Place: -1}
	for _, t := range terms {
		if t.Start >= len(all)-len(c.text) && !strings.ContainsFunc(t.Text, unicode.IsDigit) {
			c.words[t.Text] = true
		}
		if q.having[t.Text] > 0 {
			counts[t.Text]++
		}
		if t.Kind != ranking.Word {
			continue
		}
		if t.Place == before.Place+1 {
			neighbours[[2]string{before.Text, t.Text}]++
		}
		before = t
	}
	length := float64(len(terms))
	c.matched = map[string]bool{}
	for term, rarity := range q.rarity {
		if n := counts[term]; n > 0 {
			c.matched[term] = true
			c.found.Score += rarity * ranking.Weight(n, length, q.average)
		}
	}
	before = ranking.Term{Place: -1}
	for _, t := range q.terms {
		if t.Kind != ranking.Word {
			continue
		}
		if n := neighbours[[2]string{before.Text, t.Text}]; n > 0 {
			c.found.Score += neighbourWeight * min(q.rarity[before.Text], q.rarity[t.Text]) * ranking.Weight(n, length, q.average)
		}
		before = t
	}
	q.judgeWords(c, counts, length)
}

// answers reports whether a passage has enough of the question: of its own words, or of these
// and of words that say the same.
func (q *question) answers(c candidate) bool {
	var has, all float64
	for term, rarity := range q.rarity {
		all += rarity
		if c.matched[term] {
			has += rarity
		}
	}
	var places [][2]int
	for _, t := range q.terms {
		if c.matched[t.Text] {
			places = append(places, [2]int{t.Start, t.End})
		}
	}
	return q.suffices(has, all, places, enough, alone) || q.answersOtherwise(c, has, all, places)
}

// suffices reports whether a share of a question is enough in several places, or alone in one.
func (q *question) suffices(has, all float64, places [][2]int, enough, alone float64) bool {
	return has >= alone*all || countApart(places) > 1 && has >= enough*min(all, longQuestion*ranking.Rarity(0, q.passages))
}

// countApart counts the places of a question that do not overlap.
func countApart(places [][2]int) (n int) {
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	end := 0
	for _, p := range places {
		if p[0] >= end {
			n, end = n+1, p[1]
		}
	}
	return n
}

// saysSame reports whether a passage says nearly the same as a better one of another
// document: it differs in numbers and few words, none of which is asked for.
func (c *candidate) saysSame(better *candidate) bool {
	if c.found.DocumentID == better.found.DocumentID {
		return false
	}
	if few, many := len(c.words), len(better.words); float64(min(few, many)) < same*float64(max(few, many)) {
		return false
	}
	for term := range c.matched {
		if !better.matched[term] {
			return false
		}
	}
	common := 0
	for term := range c.words {
		if better.words[term] {
			common++
		}
	}
	return float64(common) >= same*float64(len(c.words)+len(better.words)-common)
}

// idDigits is how many digits an id has at least; Q3 and MP3 are words like others.
const idDigits = 2

// isOfUnknown reports whether a question has ids, such as E97 and PO-88120, of which the
// passages that were found have none, however they are written: what says all else of the
// question is about something else then.
func (q *question) isOfUnknown(found []candidate) bool {
	var ids []string
	for _, t := range q.terms {
		if isID(t) {
			ids = append(ids, squeezed(t.Text))
		}
	}
	return len(ids) > 0 && !slices.ContainsFunc(found, func(c candidate) bool {
		all := squeezed(c.all())
		return slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(all, id) })
	})
}

// isID reports whether a term begins with a letter and has some digits.
func isID(t ranking.Term) bool {
	digits := 0
	for _, r := range t.Text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return t.Kind != ranking.Character && t.Text[0] >= 'a' && t.Text[0] <= 'z' && digits >= idDigits
}

// squeezed is a text without what is neither a letter nor a digit, in lower case.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}
