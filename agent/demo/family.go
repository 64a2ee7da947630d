package demo

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fusebox/agent/demo/strict"
	"fusebox/agent/demo/wire"
)

// Family names a kind of provider. The demo model takes on its habits, so that
// people can see Fusebox deal with them; "" is the demo model's own way.
type Family string

// family describes how a provider writes answers, and what it asks of requests.
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

func keyed(key string) func(string) map[string]any {
	return func(piece string) map[string]any { return map[string]any{key: piece} }
}

func textPart(piece string) map[string]any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": piece}}}
}

func thinkingPart(piece string) map[string]any {
	text := []any{map[string]any{"type": "text", "text": piece}}
	return map[string]any{"content": []any{map[string]any{"type": "thinking", "thinking": text}}}
}

func callID() string { return "call_" + randomID() }

// shortIDLength is the length of ids for a provider that fixes it.
const shortIDLength = 9

func shortID() string { return rand.Text()[:shortIDLength] }

func fullCall(_ int, c wire.Call) map[string]any {
	return map[string]any{
		"id": c.ID, "type": "function",
		"function": map[string]any{"name": c.Function.Name, "arguments": c.Function.Arguments},
	}
}

// firstIndex writes every call as if it were the first.
func firstIndex(n int, c wire.Call) map[string]any {
	m := fullCall(n, c)
	m["index"] = 0
	return m
}

// signedCall signs the first call of an answer.
func signedCall(n int, c wire.Call) map[string]any {
	m := fullCall(n, c)
	if n == 0 {
		m["extra_content"] = map[string]any{"google": map[string]any{"thought_signature": strict.Signature(c.ID)}}
	}
	return m
}

// inPieces writes id and name of each call first and then its arguments;
// later is what the later pieces contain in addition.
func inPieces(later map[string]any) func(family, []wire.Call) []map[string]any {
	return func(f family, calls []wire.Call) []map[string]any {
		var deltas []map[string]any
		for i, c := range calls {
			first := c
			first.Function.Arguments = ""
			head := f.call(i, first)
			head["index"] = i
			deltas = append(deltas, callDelta(head))
			for _, p := range pieces(c.Function.Arguments, argsPiece) {
				piece := map[string]any{"index": i, "function": map[string]any{"arguments": p}}
				maps.Copy(piece, later)
				deltas = append(deltas, callDelta(piece))
			}
		}
		return deltas
	}
}

func oneByOne(f family, calls []wire.Call) []map[string]any {
	var deltas []map[string]any
	for i, c := range calls {
		deltas = append(deltas, callDelta(f.call(i, c)))
	}
	return deltas
}

func together(f family, calls []wire.Call) []map[string]any {
	if len(calls) == 0 {
		return nil
	}
	return []map[string]any{callDelta(f.all(calls)...)}
}

func callDelta(calls ...any) map[string]any { return map[string]any{"tool_calls": calls} }

func (f family) all(calls []wire.Call) []any {
	list := make([]any, len(calls))
	for i, c := range calls {
		list[i] = f.call(i, c)
	}
	return list
}

func plainBill(u usage) any { return u }

// cacheBlock is the unit in which prompts are cached, in tokens.
const cacheBlock = 64

// cacheBill also tells which part of the prompt came from a cache: here, as many
// whole blocks as it has.
func cacheBill(u usage) any {
	return struct {
		usage
		Hit  int `json:"prompt_cache_hit_tokens"`
		Miss int `json:"prompt_cache_miss_tokens"`
	}{u, u.cached(), u.PromptTokens - u.cached()}
}

func (u usage) cached() int { return u.PromptTokens / cacheBlock * cacheBlock }

// topBill reports the cached tokens next to the other counts, and nothing else.
func topBill(u usage) any {
	return struct {
		usage
		Cached int `json:"cached_tokens"`
	}{u, u.cached()}
}

// detailedBill tells it in details, with what of the answer was thought.
func detailedBill(u usage) any {
	return struct {
		usage
		Prompt     map[string]int `json:"prompt_tokens_details"`
		Completion map[string]int `json:"completion_tokens_details"`
	}{u, map[string]int{"cached_tokens": u.cached()}, map[string]int{"reasoning_tokens": u.reasoning}}
}

// totalBill leaves what was thought to the total.
func totalBill(u usage) any {
	u.CompletionTokens -= u.reasoning
	return u
}
