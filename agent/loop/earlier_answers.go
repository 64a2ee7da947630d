package loop

import (
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// How many answers of earlier runs are compared, and how long one must be, in bytes: "You're
// welcome!" may be said often.
const (
	maxEarlier     = 20
	shortestAnswer = 24
)

// askForMore are messages that ask for something new each time they are sent.
var askForMore = []string{
	"continue", "go on", "keep going", "carry on", "proceed", "next", "more", "again", "try again", "retry",
	"继续", "接着", "接着说", "下一个", "再来", "再试", "再试一次", "重试",
}

// earlierAnswers are fingerprints of the answers before this run, oldest first, back to the
// newest answer that called a tool: a call is progress. Answers to a question that was asked
// before, word for word, are left out, because they may well be the same.
func (b *breakers) earlierAnswers() []string {
	if b.earlier != nil {
		return *b.earlier
	}
	var answers []string
	asked := map[string]bool{}
	answer := ""
	branch := b.transcript.branch
	for i := b.transcript.taskIndex(); i >= 0 && len(answers) < maxEarlier; i-- {
		m := branch[i]
		if len(m.ToolCalls) > 0 {
			break
		}
		switch {
		case m.Role == agent.FromAssistant:
			answer = m.Content
		case m.Asks():
			question := plain(m.Content)
			if len(answer) >= shortestAnswer && !asked[question] {
				answers = append(answers, fingerprint.Text(answer))
			}
			asked[question] = !slices.Contains(askForMore, question)
			answer = ""
		}
	}
	slices.Reverse(answers)
	b.earlier = &answers
	return answers
}

// plain is a message in lower case without what ends a sentence.
func plain(text string) string {
	return strings.Trim(strings.ToLower(strings.TrimSpace(text)), ".!?…。！？ ")
}
