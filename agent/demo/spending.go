package demo

import "fmt"

// What a step of the budget test reports, and after how many it ends: more
// than the 200,000 tokens that a run may use by default.
const (
	spentInput  = 12_000
	spentOutput = 1_000
	spentSteps  = 20
)

// spending reports many tokens with each step and makes progress in each, so
// that only a budget stops it early.
func spending(t turn) answer {
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
	return a
}
