package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// answer is what the model says next: text, calls, or both.
type answer struct {
	reasoning string
	text      string
	calls     []call
	// usage replaces the estimate where a rule wants fixed figures.
	usage *usage
	// refused is how the request is refused before, or in place of, this answer.
	refused *refusal
	// breaks ends a stream in the middle of the last call, at the output limit.
	breaks bool
}

func say(text string) answer { return answer{text: text} }

func use(calls ...call) answer { return answer{calls: calls} }

// invoke makes a call; the arguments always encode.
func invoke(tool string, args map[string]any) call {
	raw, err := json.Marshal(args)
	if err != nil {
		return call{name: tool, args: "{}"}
	}
	return call{name: tool, args: string(raw)}
}

// rule answers the turns it knows; ok is false for all others. It is a pure
// function: what the model remembers is the history.
type rule func(t turn) (a answer, ok bool)

// rules are asked in this order. The named tests come before the questions, so
// that a city or a number in them is not taken for one.
var rules = []rule{
	summing,
	probing,
	chain,
	finding,
	remembering,
	among(tests),
	manyFiles,
	sampleFiles,
	echoing,
	insisting,
	difference,
	weather,
	arithmetic,
	browsing,
	among(talks),
}

func reply(t turn) answer {
	for _, r := range rules {
		if a, ok := r(t); ok {
			return a
		}
	}
	return fallback(t)
}

// without is the answer of a rule whose tools are not offered: they may be found.
func without(t turn, tool string) answer {
	if t.may(finder) && !t.searched(tool) {
		return search(tool)
	}
	if _, did := t.last(); did {
		return say(t.in(
			"I stop here, because I have no tools any more. "+summary(t),
			"没有可用的工具了，我就到这里为止。"+summary(t)))
	}
	return say(t.in(
		"I would use the tool "+tool+" for that, but it is not offered to me here.",
		"这需要工具 "+tool+"，但这里没有提供给我。"))
}

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
