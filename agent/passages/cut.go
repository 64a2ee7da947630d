package passages

import (
	"strings"

	"fusebox/agent"
)

// The sizes of passages, in quarters of a token: a character of Chinese, Japanese, or
// Korean, and each of their signs, is about a token; others are about a quarter.
const (
	limit = 4 * 400
	least = limit / 4 // the size below which a passage does not end for a better place
)

func sizeOf(r rune) int {
	if r >= '⺀' { // the first of the CJK radicals
		return 4
	}
	return 1
}

// Cut cuts the sections of a reading into passages, in the order of the text. Those of a
// section follow each other without a gap, and none is over 400 tokens. Texts are cut
// after sentences, tables between rows, code between lines: within one of these only where
// it is over the limit alone. Hidden and empty sections have no passages.
func Cut(r *agent.Reading) []agent.Passage {
	var all []agent.Passage
	for i, s := range r.Sections {
		if s.Kind == agent.KindHidden {
			continue
		}
		var fences [][2]int
		if s.Kind == "" {
			fences = fencesOf(r.Text[:s.End], s.Start)
		}
		for at := s.Start; at < s.End; {
			for len(fences) > 0 && fences[0][1] <= at {
				fences = fences[1:]
			}
			end := passageEnd(r.Text[:s.End], at, s, fences)
			if strings.TrimSpace(r.Text[at:end]) != "" {
				all = append(all, agent.Passage{Start: at, End: end, Section: i})
			}
			at = end
		}
	}
	return all
}

// passageEnd is where the passage ends that begins at a byte of a text.
func passageEnd(text string, at int, s agent.Section, fences [][2]int) int {
	most := limit
	if s.Kind == agent.KindTable {
		most -= min(measure(s.Head, limit/2), limit/2) // it is shown with each passage
	}
	all := measure(text[at:], most+most/4)
	if all <= most {
		return len(text)
	}
	if all <= most+most/4 {
		most = all * 5 / 8 // two of similar sizes instead of a large and a tiny one
	}
	return windowOf(text, at, most, s.Kind, fences).cut(most)
}

// measure is the size of a text; where it is over most, a size over most.
func measure(text string, most int) (size int) {
	for _, r := range text {
		if size += sizeOf(r); size > most {
			break
		}
	}
	return size
}
