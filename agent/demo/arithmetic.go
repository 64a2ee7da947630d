package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fusebox/agent/demo/sums"
)

var (
	// unsure are the signs that also stand in dates, ranges and fractions.
	unsure    = pattern(`^[-0-9./% ]*$`)
	mathWords = []string{
		"what is", "what's", "calculate", "compute", "how much", "evaluate", "solve", "result of", "work out",
		"算一下", "算算", "计算", "請問", "请问", "等于", "等於", "是多少", "多少", "得多少", "得几", "等于几", "算",
	}
)

// arithmetic hands an expression to the calculator and tells its result.
func arithmetic(t turn) (answer, bool) {
	expr := sums.Expression(t.text)
	spelled := !strings.Contains(t.text, expr) // a date is never spelled out
	if expr == "" || unsure().MatchString(expr) && !spelled && !t.says(mathWords...) && 2*len(expr) < len(t.text) {
		return answer{}, false
	}
	if s, done := t.last(); done {
		return say(sentences(t, s)), true
	}
	sum, ok := t.sum(expr)
	if !ok {
		return without(t, sumSkill.name), true
	}
	return use(sum), true
}

// operators are tools that take two numbers, by the sign between these.
var operators = map[string][]string{
	"+": {"add", "plus", "sum"}, "-": {"subtract", "minus"}, "*": {"multiply", "times", "product"}, "/": {"divide"},
}

var twoNumbers = pattern(`^(-?[0-9.]+) *([-+*/]) *(-?[0-9.]+)$`)

// sum is the call that calculates an expression: of a calculator, or of a tool
// for its one operation.
func (t turn) sum(expr string) (call, bool) {
	if c, ok := t.ask(sumSkill, expr); ok {
		return c, true
	}
	two := twoNumbers().FindStringSubmatch(expr)
	if two == nil {
		return call{}, false
	}
	for _, tool := range t.tools {
		if slices.ContainsFunc(operators[two[2]], func(stem string) bool { return strings.HasPrefix(strings.ToLower(tool.Function.Name), stem) }) {
			return invoke(tool.Function.Name, t.arguments(tool, sums.Numbers(two[1]+" "+two[3]))), true
		}
	}
	return call{}, false
}

func calculate(expr string) call { return invoke("calculator", map[string]any{"expression": expr}) }

var resultKeys = []string{"result", "value", "answer", "output", "sum", "product", "difference", "quotient"}

// calculatorSentence tells a result of a calculator, whosever it is: an object,
// or the bare number.
func calculatorSentence(t turn, c call, result string) string {
	asked := argument(c, sumSkill.fields...)
	if asked == "" {
		asked = c.args
	}
	decoder := json.NewDecoder(strings.NewReader(result))
	decoder.UseNumber()
	var v any
	_ = decoder.Decode(&v) // what is not JSON is quoted
	if object, ok := v.(map[string]any); ok {
		if e, ok := object["expression"].(string); ok {
			asked = e
		}
		v = nil
		for _, k := range resultKeys {
			if object[k] != nil {
				v = object[k]
				break
			}
		}
	}
	_, isNumber := v.(json.Number)
	if text, isText := v.(string); isNumber || isText && len(sums.Numbers(text)) == 1 {
		return t.in(fmt.Sprintf("%s = %s.", asked, v), fmt.Sprintf("%s = %s。", asked, v))
	}
	return t.in(
		fmt.Sprintf("I could not calculate %s: %s", asked, quote(result)),
		fmt.Sprintf("没能算出 %s：%s", asked, quote(result)))
}
