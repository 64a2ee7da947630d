package demo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// titling names a chat by the first words of its message, which is shown between marks.
func titling(r request) (a answer, ok bool) {
	if len(r.Messages) != 2 || !strings.HasPrefix(string(r.Messages[0].Content), "You name chats.") {
		return answer{}, false
	}
	message := strings.NewReplacer("<message>", "", "</message>", "").Replace(string(r.Messages[1].Content))
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	const most, letters = 6, 18
	words := strings.FieldsFunc(line, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("，。？！：；,?!:;", c) })
	title := strings.Join(words[:min(len(words), most)], " ")
	if unicode.Is(unicode.Han, first(title)) {
		title = string([]rune(title)[:min(utf8.RuneCountInString(title), letters)])
	}
	return say(strings.ToUpper(string(first(title))) + strings.TrimPrefix(title, string(first(title)))), true
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
