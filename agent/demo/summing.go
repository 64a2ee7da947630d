package demo

import "strings"

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
