package demo

import "fmt"

// deadLoop makes the same call again and again, whatever anybody says, as long
// as it is offered the tool.
func deadLoop(t turn) (answer, bool) {
	if !t.says("test dead loop", "test deadloop", "测试死循环", "測試死循環") {
		return answer{}, false
	}
	if !t.may("calculator") {
		return without(t, "calculator"), true
	}
	return use(calculate("1+1")), true
}

// pingPong goes back and forth between two calls.
func pingPong(t turn) (answer, bool) {
	if !t.says("test ping pong", "test pingpong", "测试乒乓", "測試乒乓") {
		return answer{}, false
	}
	if !t.may("calculator") {
		return without(t, "calculator"), true
	}
	return use(calculate([]string{"1+1", "2+2"}[len(t.steps)%2])), true
}

// What a step of the budget test reports, and after how many it ends.
const (
	spentInput  = 4000
	spentOutput = 500
	spentSteps  = 20
)

// spending reports many tokens with each step and makes progress in each, so
// that only a budget stops it early.
func spending(t turn) (answer, bool) {
	if !t.says("test budget", "测试预算", "測試預算") {
		return answer{}, false
	}
	var a answer
	switch n := len(t.steps); {
	case !t.may("calculator"):
		a = without(t, "calculator")
	case n >= spentSteps:
		a = say(t.in(
			fmt.Sprintf("Done: %d steps of about %d tokens each.", n, spentInput+spentOutput),
			fmt.Sprintf("完成：共 %d 步，每步约 %d 个 token。", n, spentInput+spentOutput)))
	default:
		a = use(calculate(fmt.Sprintf("%d*%d+%d", 7*n+3, n+2, n)))
	}
	a.usage = &usage{PromptTokens: spentInput, CompletionTokens: spentOutput, TotalTokens: spentInput + spentOutput}
	return a, true
}
