package demo

import "encoding/json"

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
