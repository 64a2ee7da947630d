package demo

import "strings"

// chants is how often the sentence comes: long enough for every guard, and
// bounded.
const chants = 400

// chanting says the same thing over and over in one answer.
func chanting(t turn) (answer, bool) {
	if !t.says("test chanting", "测试复读", "測試復讀") {
		return answer{}, false
	}
	return say(strings.Repeat(t.in(
		"I am sure about this, let me say it once more. ",
		"我很确定，让我再说一遍。"), chants)), true
}
