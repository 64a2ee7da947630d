package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

var (
	mathSigns = strings.NewReplacer("×", "*", "÷", "/", "（", "(", "）", ")", "−", "-", "，", ",", " plus ", "+",
		" minus ", "-", " times ", "*", " divided by ", "/", "加", "+", "减", "-", "乘以", "*", "乘", "*", "除以", "/")
	expression = regexp.MustCompile(`[-+(]*[0-9.][0-9.+\-*/%^() ]*`)
	date       = regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}$`)
	operation  = regexp.MustCompile(`[0-9)] *[-+*/%^]+ *[(\-+]*[0-9.]`)
	mathWords  = []string{"what is", "what's", "calculate", "compute", "how much is", "evaluate", "算一下", "算算", "计算", "等于", "是多少", "多少"}
)

// maxExpression bounds what is handed to the calculator.
const maxExpression = 200

// arithmetic hands an expression to the calculator and tells its result.
func arithmetic(t turn) (answer, bool) {
	expr := expressionIn(t.text)
	if expr == "" || (!t.says(mathWords...) && 2*len(expr) < len(t.text)) {
		return answer{}, false
	}
	if s, done := t.last(); done {
		return say(sentences(t, s)), true
	}
	if !t.may("calculator") {
		return without(t, "calculator"), true
	}
	return use(calculate(expr)), true
}

func calculate(expr string) call { return invoke("calculator", map[string]any{"expression": expr}) }

// expressionIn finds the longest run of digits and signs that computes something.
func expressionIn(text string) string {
	longest := ""
	for _, found := range expression.FindAllString(mathSigns.Replace(text), -1) {
		found = strings.TrimRight(strings.TrimSpace(found), "+-*/%^(. ")
		if len(found) > len(longest) && len(found) <= maxExpression && operation.MatchString(found) && !date.MatchString(found) {
			longest = found
		}
	}
	return balance(longest)
}

// balance drops closing brackets that belong to the sentence around.
func balance(expr string) string {
	for strings.HasSuffix(expr, ")") && strings.Count(expr, ")") > strings.Count(expr, "(") {
		expr = strings.TrimSpace(strings.TrimSuffix(expr, ")"))
	}
	return expr
}

func calculatorSentence(t turn, c call, result string) string {
	var r struct {
		Expression string      `json:"expression"`
		Result     json.Number `json:"result"`
	}
	if json.Unmarshal([]byte(result), &r) != nil || r.Result == "" {
		return t.in(
			fmt.Sprintf("I could not calculate %s: %s", argument(c, "expression"), quote(result)),
			fmt.Sprintf("没能算出 %s：%s", argument(c, "expression"), quote(result)))
	}
	return t.in(
		fmt.Sprintf("%s = %s.", r.Expression, r.Result),
		fmt.Sprintf("%s = %s。", r.Expression, r.Result))
}
