package demo

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRemark bounds what a summary keeps of each message, in runes.
const maxRemark = 60

// summing tells a transcript in short: what the person said, line by line.
func summing(t turn) (answer, bool) {
	if !strings.HasPrefix(t.text, "[user]\n") && !strings.HasPrefix(t.text, "[Summary so far]\n") {
		return answer{}, false
	}
	var lines []string
	for _, part := range strings.Split(t.text, "\n\n[") {
		role, said, _ := strings.Cut(strings.TrimPrefix(part, "["), "]\n")
		remark, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
		remark = clipped(remark, maxRemark)
		switch role {
		case "user":
			lines = append(lines, t.in("- The person asked: ", "- 用户问：")+remark)
		case "Summary so far":
			lines = append(lines, said)
		case "assistant":
			lines = append(lines, t.in("- The answer began: ", "- 回答的开头：")+remark)
		}
	}
	return say(strings.Join(lines, "\n")), true
}

// probeTool is the only tool that a client offers to see whether a model calls tools.
const probeTool = "probe"

// probing calls the probe with the word it is known for, and then says it.
func probing(t turn) (answer, bool) {
	if !slices.Equal(t.offered, []string{probeTool}) {
		return answer{}, false
	}
	if _, done := t.last(); done {
		return say("pong"), true
	}
	return use(invoke(probeTool, map[string]any{"word": "pong"})), true
}

// echoing counts to the probe's word where there are no tools, so that it can be
// seen whether an answer comes in pieces.
func echoing(t turn) (answer, bool) {
	if len(t.offered) > 0 || !t.says("pong") {
		return answer{}, false
	}
	return say("one, two, three, four, five, pong"), true
}

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
