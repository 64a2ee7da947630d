package demo

import (
	"fmt"
	"slices"
	"strings"

	"fusebox/agent/demo/strict"
	"fusebox/agent/demo/wire"
)

// Family names a kind of provider. The demo model takes on its habits, so that
// people can see Fusebox deal with them; "" is the demo model's own way.
type Family string

// family is how a provider writes answers, and what it asks of requests.
type family struct {
	name Family
	// comments is the number of keep-alive lines before the first chunk.
	comments int
	// thinks makes up a reasoning before calls where the rules give none.
	thinks bool
	// think and text write a piece of reasoning or text as a delta.
	think, text func(piece string) map[string]any
	// callID makes up the id of a call.
	callID func() string
	// call writes the n-th call of an answer in full.
	call func(n int, c wire.Call) map[string]any
	// spread writes the calls of an answer as the deltas of a stream.
	spread func(f family, calls []wire.Call) []map[string]any
	// finish is the finish reason of an answer that has calls.
	finish string
	// joined puts the finish reason next to the last piece of the answer, and
	// not into a chunk of its own.
	joined bool
	// between are the finish reasons of the chunks before, in turn; none is null.
	between []any
	// usage is where a stream tells its usage, and bill how that is written.
	usage place
	bill  func(usage) any
	// rules are held against the request before anything else.
	rules strict.Rules
}

// place is where a stream tells its usage.
type place int

const (
	ownChunk   place = iota // a chunk without choices at the end, where asked for
	lastChunk               // next to the finish reason, asked for or not
	lastChoice              // inside of the choice that has the finish reason, asked for or not
	everyChunk              // in each chunk, as far as it got; asked for or not
)

// plainFamily is the demo model's own way, which is OpenAI's.
var plainFamily = family{
	think: keyed("reasoning_content"), text: keyed("content"),
	callID: callID, call: fullCall, spread: inPieces(nil), finish: "tool_calls", bill: plainBill,
}

// families are the providers' habits, in the order in which they are listed. Where
// the real endpoint ignores reasoning that comes back, so does the family.
var families = []family{
	{
		name: "deepseek", comments: 2, thinks: true, think: keyed("reasoning_content"), text: keyed("content"),
		callID: callID, call: fullCall, spread: inPieces(nil), finish: "tool_calls", bill: cacheBill,
		rules: strict.With(strict.ReasoningBack, strict.FreeChoice, strict.NoExtra),
	},
	{
		name: "kimi", thinks: true, think: keyed("reasoning_content"), text: keyed("content"),
		callID: callID, call: fullCall, spread: inPieces(nil), finish: "tool_calls", usage: lastChoice, bill: topBill,
		rules: strict.With(strict.ReasoningBack, strict.FreeChoice, strict.NoExtra),
	},
	{
		name: "qwen", thinks: true, think: keyed("reasoning_content"), text: keyed("content"),
		callID: callID, call: fullCall, spread: inPieces(map[string]any{"id": "", "type": "function"}),
		finish: "tool_calls", between: []any{nil, ""}, bill: detailedBill,
		rules: strict.With(strict.FreeChoice, strict.StreamedThinking, strict.NoExtra),
	},
	{
		name: "ollama", thinks: true, think: keyed("reasoning"), text: keyed("content"),
		callID: callID, call: firstIndex, spread: oneByOne, finish: "stop", usage: lastChunk, bill: plainBill,
		rules: strict.With(strict.NoExtra),
	},
	{
		name: "gemini", think: keyed("reasoning_content"), text: keyed("content"),
		callID: callID, call: signedCall, spread: together, finish: "stop", joined: true, usage: everyChunk, bill: totalBill,
		rules: strict.With(strict.NoReasoning, strict.SignaturesBack),
	},
	{
		name: "mistral", thinks: true, think: thinkingPart, text: textPart,
		callID: shortID, call: fullCall, spread: together, finish: "tool_calls", joined: true, usage: lastChunk, bill: plainBill,
		rules: strict.With(strict.NoReasoning, strict.LastSpeaker, strict.NoExtra),
	},
}

// Families lists the known families.
func Families() []Family {
	list := make([]Family, len(families))
	for i, f := range families {
		list[i] = f.name
	}
	return list
}

// strictPlain is the documented protocol, with the rules that all strict
// endpoints share. It is not listed: to people it looks like the plain model.
const strictPlain Family = "openai"

// aliases are other names under which families are known.
var aliases = map[string]Family{"dashscope": "qwen", "moonshot": "kimi"}

// ParseFamily finds a family by its name. Its error lists the allowed ones.
func ParseFamily(name string) (Family, error) {
	if alias, ok := aliases[name]; ok {
		return alias, nil
	}
	if f, ok := familyNamed(Family(name)); ok {
		return f.name, nil
	}
	allowed := []string{string(strictPlain)}
	for _, f := range families {
		allowed = append(allowed, string(f.name))
	}
	return "", fmt.Errorf("%q is not allowed; allowed: %s", name, strings.Join(allowed, ", "))
}

func familyNamed(name Family) (family, bool) {
	if name == strictPlain {
		f := plainFamily
		f.name, f.rules = name, strict.With(strict.NoReasoning, strict.NoExtra)
		return f, true
	}
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if i < 0 {
		return family{}, false
	}
	return families[i], true
}

// familyOf finds the family that a model's name asks for. A strict server
// serves every name as its own family.
func familyOf(served Family, model string) (family, bool) {
	if served != "" {
		return familyNamed(served)
	}
	if model == Model {
		return plainFamily, true
	}
	name, asked := strings.CutPrefix(model, Model+":")
	if !asked {
		return family{}, false
	}
	return familyNamed(Family(name))
}
