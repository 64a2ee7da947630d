package titles

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTitle is how many characters a title has at most.
const maxTitle = 60

var (
	thoughts = regexp.MustCompile(`(?is)<(think|thinking|reasoning)>.*?(</(think|thinking|reasoning)>|$)`)
	label    = regexp.MustCompile(`(?i)^(title|标题|標題)\s*[:：]\s*`)
)

// Clean is the title in what a model has answered: one line without thoughts, markup, quotation
// marks, emoji, and full stops. It is "" where nothing is left.
func Clean(answer string) string {
	answer = thoughts.ReplaceAllString(answer, "")
	if _, after, found := strings.Cut(answer, "</think>"); found { // what opened them was in the prompt
		answer = after
	}
	for line := range strings.Lines(answer) {
		if title := cleanLine(line); title != "" {
			return shorten(title)
		}
	}
	return ""
}

// around is what models put around a title.
const around = " \t\"'`*_#“”‘’„«»‹›「」『』《》【】"

func cleanLine(line string) string {
	line = strings.Join(strings.Fields(strings.Map(plain, line)), " ")
	line = label.ReplaceAllString(strings.Trim(line, around), "")
	for before := ""; before != line; {
		before = line
		line = strings.Trim(line, around)
		if !strings.HasSuffix(line, "..") {
			line = strings.TrimRight(line, ".。．")
		}
	}
	return line
}

// plain drops what is not seen, and emoji with what belongs to them.
func plain(r rune) rune {
	const skinFirst, skinLast = 0x1F3FB, 0x1F3FF
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs), unicode.Is(unicode.Variation_Selector, r),
		r >= 0x2190 && unicode.Is(unicode.So, r), r >= skinFirst && r <= skinLast, r == utf8.RuneError, r == 0x20E3:
		return -1
	default:
		return r
	}
}

// shorten cuts a title at a word, or at a character where a word is as long as all of it.
func shorten(title string) string {
	runes := []rune(title)
	if len(runes) <= maxTitle {
		return title
	}
	cut := string(runes[:maxTitle-1])
	if at := strings.LastIndex(cut, " "); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimSpace(cut) + "…"
}
