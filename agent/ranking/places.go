package ranking

import (
	"slices"
	"unicode"
)

// Places returns where words stand in a text as they are written, whatever their case, width,
// and script: ranges of bytes in their order, which do not overlap. White space is all alike.
func Places(text, words string) (at [][2]int) {
	want := folded(words)
	if len(want) == 0 {
		return nil
	}
	have := folded(text)
	for i := 0; i+len(want) <= len(have); i++ {
		if !slices.EqualFunc(have[i:i+len(want)], want, func(h, w sign) bool { return h.r == w.r }) {
			continue
		}
		last := i + len(want) - 1
		at = append(at, [2]int{have[i].start, have[last].end})
		i = last
	}
	return at
}

// folded is fold in lower case, each run of white space one space.
func folded(text string) []sign {
	signs := fold(text)
	kept := signs[:0]
	for _, s := range signs {
		if !unicode.IsSpace(s.r) {
			s.r = unicode.ToLower(s.r)
		} else if s.r = ' '; len(kept) > 0 && kept[len(kept)-1].r == ' ' {
			kept[len(kept)-1].end = s.end
			continue
		}
		kept = append(kept, s)
	}
	return kept
}
