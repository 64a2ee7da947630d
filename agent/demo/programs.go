package demo

import (
	"slices"
	"strings"
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
		if runes := []rune(remark); len(runes) > maxRemark {
			remark = string(runes[:maxRemark]) + "…"
		}
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
