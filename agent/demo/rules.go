package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// answer is the model's next turn: text, calls, or both.
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

// use makes calls of tools that may not be offered.
func (t turn) use(calls ...call) answer {
	for _, c := range calls {
		if !t.may(c.name) {
			return without(t, c.name)
		}
	}
	return use(calls...)
}

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
	handingIn,
	summing,
	probing,
	working,
	stepping,
	chain,
	finding,
	remembering,
	commissioning,
	surveying,
	sending,
	dispatching,
	contrasting,
	among(tests),
	manyFiles,
	sampleFiles,
	echoing,
	insisting,
	difference,
	weather,
	arithmetic,
	summarising,
	consulting,
	saving,
	browsing,
	among(talks),
}

func reply(t turn) answer {
	for _, r := range rules {
		if a, ok := r(t); ok {
			return a
		}
	}
	if s, done := t.last(); done {
		return say(sentences(t, s))
	}
	if t.text == "" {
		return say("I got no message. Ask me “what can you do?”.")
	}
	return say(t.in(
		"You wrote “"+quote(t.text)+"”. I am only the demo model and know little about that. I can tell the weather of some cities, calculate, and run the tests of the breakers: ask “what can you do?”.",
		"您说的是“"+quote(t.text)+"”。我只是演示模型，对此所知不多。我可以查几个城市的天气、算数，以及演示各种熔断器：问我“你能做什么”。"))
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

func quote(s string) string { return clipped(strings.Join(strings.Fields(s), " "), maxQuote) }

// clipped bounds a text to a number of runes.
func clipped(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

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

// sentences tells all results of a step in the person's language.
func sentences(t turn, s step) string {
	lines := make([]string, len(s.calls))
	for i, c := range s.calls {
		switch result := s.results[i]; {
		case weatherSkill.has(c.name):
			lines[i] = weatherSentence(t, c, result)
		case sumSkill.has(c.name):
			lines[i] = calculatorSentence(t, c, result)
		default:
			lines[i] = t.in(c.name+" answered: ", c.name+" 的结果：") + quote(result)
		}
	}
	return strings.Join(lines, t.in(" ", ""))
}
