package demo

import (
	"fmt"
	"strings"
)

// chants is how often the sentence comes: long enough for every guard, and
// bounded.
const chants = 400

// chanting says the same thing over and over in one answer.
func chanting(t turn) answer {
	return say(strings.Repeat(t.in(
		"I am sure about this, let me say it once more. ",
		"我很确定，让我再说一遍。"), chants))
}

// countingChant says the same with another number each time.
func countingChant(t turn) answer {
	var b strings.Builder
	for i := range chants / 2 {
		fmt.Fprintf(&b, t.in("Step %d: check the logs and try again. ", "第%d步：检查日志，再试一次。"), i+1)
	}
	return say(b.String())
}
