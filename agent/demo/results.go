package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxQuote bounds, in runes, what an answer quotes of a result or a request.
const maxQuote = 200

// quote shortens a text to one line.
func quote(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxQuote {
		return string(r[:maxQuote]) + "…"
	}
	return s
}

// argument reads the first argument of a call that has one of the names.
func argument(c call, names ...string) string {
	var args map[string]any
	if json.Unmarshal([]byte(c.args), &args) != nil {
		return ""
	}
	for _, name := range names {
		if s, ok := args[name].(string); ok {
			return s
		}
	}
	return ""
}

// summary tells in a sentence what the steps of a turn did.
func summary(t turn) string {
	n, lastResult := 0, ""
	for _, s := range t.steps {
		n += len(s.calls)
		lastResult = s.results[len(s.results)-1]
	}
	return t.in(
		fmt.Sprintf("I made %d tool %s; the last result was: %s", n, plural(n, "call", "calls"), quote(lastResult)),
		fmt.Sprintf("我一共调用了 %d 次工具，最后的结果是：%s", n, quote(lastResult)))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// sentence tells one result in the person's language.
func sentence(t turn, c call, result string) string {
	switch {
	case weatherSkill.has(c.name):
		return weatherSentence(t, c, result)
	case sumSkill.has(c.name):
		return calculatorSentence(t, c, result)
	default:
		return t.in(
			fmt.Sprintf("%s answered: %s", c.name, quote(result)),
			fmt.Sprintf("%s 的结果：%s", c.name, quote(result)))
	}
}

// sentences tells all results of a step.
func sentences(t turn, s step) string {
	lines := make([]string, len(s.calls))
	for i, c := range s.calls {
		lines[i] = sentence(t, c, s.results[i])
	}
	return strings.Join(lines, t.in(" ", ""))
}
