package demo

import (
	"crypto/rand"

	"fusebox/agent/demo/strict"
	"fusebox/agent/demo/wire"
)

// keyed writes a piece as the string of a key.
func keyed(key string) func(string) map[string]any {
	return func(piece string) map[string]any { return map[string]any{key: piece} }
}

// textPart writes a piece of text as a content array.
func textPart(piece string) map[string]any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": piece}}}
}

// thinkingPart writes a piece of reasoning as a content array.
func thinkingPart(piece string) map[string]any {
	text := []any{map[string]any{"type": "text", "text": piece}}
	return map[string]any{"content": []any{map[string]any{"type": "thinking", "thinking": text}}}
}

func callID() string { return "call_" + randomID() }

// shortIDLength is how long ids are where a provider fixes their length.
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
				for k, v := range later {
					piece[k] = v
				}
				deltas = append(deltas, callDelta(piece))
			}
		}
		return deltas
	}
}

// oneByOne writes each call in full, in a delta of its own.
func oneByOne(f family, calls []wire.Call) []map[string]any {
	var deltas []map[string]any
	for i, c := range calls {
		deltas = append(deltas, callDelta(f.call(i, c)))
	}
	return deltas
}

// together writes all calls in full in one delta.
func together(f family, calls []wire.Call) []map[string]any {
	if len(calls) == 0 {
		return nil
	}
	return []map[string]any{callDelta(f.all(calls)...)}
}

func callDelta(calls ...any) map[string]any { return map[string]any{"tool_calls": calls} }

// all writes all calls in full.
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

// cacheBill tells besides what of the prompt came from a cache: here, as many
// whole blocks as it has.
func cacheBill(u usage) any {
	return struct {
		usage
		Hit  int `json:"prompt_cache_hit_tokens"`
		Miss int `json:"prompt_cache_miss_tokens"`
	}{u, u.cached(), u.PromptTokens - u.cached()}
}

func (u usage) cached() int { return u.PromptTokens / cacheBlock * cacheBlock }

// topBill reports that in addition to the other counts, and no more.
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

// reasonFor makes up why an answer has its calls.
func reasonFor(t turn, calls []call) string {
	return t.in("I need the tool "+calls[0].name+" for this.", "这需要用到工具 "+calls[0].name+"。")
}
