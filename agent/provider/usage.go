package provider

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"fusebox/agent"
)

// maxCount bounds a number of tokens: no call takes as many, so that a larger
// one is no figure and must not eat a budget.
const maxCount = 100_000_000

// count is a number of tokens; nonsense counts as none.
type count int64

// UnmarshalJSON never fails. It also takes 12.0 and "12", and null.
func (c *count) UnmarshalJSON(raw []byte) error {
	f, _ := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64) // 0 or infinite on error
	if f > 0 && f <= maxCount {
		*c = count(f)
	}
	return nil
}

// usage is what an endpoint tells of a call, under all the names that there
// are. 0 stands for what it does not tell.
type usage struct {
	Prompt       count `json:"prompt_tokens"`
	Completion   count `json:"completion_tokens"`
	Total        count `json:"total_tokens"`
	Input        count `json:"input_tokens"`
	Output       count `json:"output_tokens"`
	Reasoning    count `json:"reasoning_tokens"`
	Cached       count `json:"cached_tokens"`
	CacheHit     count `json:"prompt_cache_hit_tokens"`
	CacheMiss    count `json:"prompt_cache_miss_tokens"`
	CacheRead    count `json:"cache_read_input_tokens"`
	CacheWritten count `json:"cache_creation_input_tokens"`

	PromptDetails     usageDetails `json:"prompt_tokens_details"`
	InputDetails      usageDetails `json:"input_tokens_details"`
	CompletionDetails usageDetails `json:"completion_tokens_details"`
	OutputDetails     usageDetails `json:"output_tokens_details"`

	NativePrompt     count `json:"native_tokens_prompt"` // as the model counts, which is what is paid
	NativeCompletion count `json:"native_tokens_completion"`
	NativeReasoning  count `json:"native_tokens_reasoning"`
	NativeCached     count `json:"native_tokens_cached"`

	Billed usagePair `json:"billed_units"`
	Tokens usagePair `json:"tokens"`
}

type usageDetails struct {
	Cached    count `json:"cached_tokens"`
	Reasoning count `json:"reasoning_tokens"`
}

type usagePair struct {
	Input  count `json:"input_tokens"`
	Output count `json:"output_tokens"`
}

// UnmarshalJSON never fails: a usage of another form must not void its answer.
func (u *usage) UnmarshalJSON(raw []byte) error {
	type plain usage
	_ = json.Unmarshal(raw, (*plain)(u)) // what does not fit is not told
	return nil
}

// empty reports whether nothing is told.
func (u *usage) empty() bool { return u == nil || u.figures() == figures{} }

// timings are how llama.cpp tells its counts, also where it sends no usage.
type timings struct {
	// Cached tells how much of the prompt was not read again. Servers that leave
	// it out leave those tokens out of Prompt too.
	Cached    *count `json:"cache_n"`
	Prompt    count  `json:"prompt_n"`
	Predicted count  `json:"predicted_n"`
}

// UnmarshalJSON never fails.
func (t *timings) UnmarshalJSON(raw []byte) error {
	type plain timings
	_ = json.Unmarshal(raw, (*plain)(t)) // what does not fit is not told
	return nil
}

func (t timings) figures() figures {
	f := figures{output: int64(t.Predicted)}
	if t.Cached != nil {
		f.input, f.cached = int64(t.Prompt+*t.Cached), int64(*t.Cached)
	}
	return f
}

// figures are the counts of a call in one meaning: cached tokens are part of
// the input, reasoning tokens part of the output. 0 stands for what is not
// known.
type figures struct {
	input, cached, output, reasoning int64
	// total is input and output together where neither is known.
	total int64
}

// figures brings what an endpoint tells into one meaning.
func (u usage) figures() figures {
	input := cmp.Or(u.NativePrompt, u.Prompt, u.Input, u.Billed.Input, u.Tokens.Input, u.CacheHit+u.CacheMiss)
	output := cmp.Or(u.NativeCompletion, u.Completion, u.Output, u.Billed.Output, u.Tokens.Output)
	cached := max(u.Cached, u.CacheHit, u.CacheRead, u.PromptDetails.Cached, u.InputDetails.Cached, u.NativeCached)
	reasoning := max(u.Reasoning, u.CompletionDetails.Reasoning, u.OutputDetails.Reasoning, u.NativeReasoning)
	if u.cacheBeside(input, output, cached, reasoning) {
		input += cached + u.CacheWritten
	}
	if reasoning > output {
		output += reasoning // counted beside it
	}
	switch rest := u.Total - input - output; {
	case input == 0 && output == 0:
		return figures{total: int64(u.Total)}
	case rest <= 0:
	case input == 0:
		input = rest
	case output == 0:
		output = rest
	default: // the model thought, and that stands in the total alone
		output += rest
		reasoning = cmp.Or(reasoning, rest)
	}
	return bounded(input, cached, output, reasoning)
}

// cacheBeside reports whether the input was counted without what came from a
// cache or went into one: where the total says so, where it goes by the names
// of the protocol that counts like this, or where it cannot be otherwise.
func (u usage) cacheBeside(input, output, cached, reasoning count) bool {
	cache := cached + u.CacheWritten
	switch {
	case cache == 0 || input == 0:
		return false
	case u.Total == input+output+cache && cache != reasoning:
		return true
	case u.Prompt == 0 && u.Input > 0 && u.CacheRead+u.CacheWritten > 0:
		return true
	case u.Total == input+output:
		return false
	default:
		return cached > input
	}
}

func bounded(input, cached, output, reasoning count) figures {
	input, output = min(input, maxCount), min(output, maxCount)
	return figures{
		input: int64(input), cached: int64(min(cached, input)),
		output: int64(output), reasoning: int64(min(reasoning, output)),
	}
}

// then is what is known once a later count came. Counts are cumulative, so the
// later one stands; what it leaves out, or tells as none, is not unlearned.
func (f figures) then(later figures) figures {
	if later.input > 0 {
		if later.input != f.input || later.cached > 0 {
			f.cached = later.cached
		}
		f.input = later.input
	}
	if later.output > 0 {
		if later.output != f.output || later.reasoning > 0 {
			f.reasoning = later.reasoning
		}
		f.output = later.output
	}
	f.total = cmp.Or(later.total, f.total)
	return f
}

// figures are all the counts of a chunk, whose quirks are undone.
func (c chunk) figures() figures {
	f := figures{input: int64(c.PromptEval), output: int64(c.Eval)}
	if c.Timings != nil {
		f = f.then(c.Timings.figures())
	}
	if c.Usage != nil {
		f = f.then(c.Usage.figures())
	}
	return f
}

// settle makes a usage of what was told. What was not told is estimated; so is
// the output of an answer that broke off, where more of it arrived than was
// counted by then.
func (f figures) settle(ended bool, estimate func() agent.Usage) agent.Usage {
	u := agent.Usage{Tokens: agent.Tokens{InputTokens: f.input, CachedTokens: f.cached, OutputTokens: f.output, ReasoningTokens: f.reasoning}}
	if ended && f.input > 0 && f.output > 0 {
		return u
	}
	guess := estimate()
	switch {
	case f.input == 0 && f.output == 0 && f.total > 0:
		return parted(f.total, guess)
	case f.input == 0:
		u.InputTokens, u.Estimated = guess.InputTokens, true
		u.CachedTokens = min(f.cached, u.InputTokens)
	}
	if guess.OutputTokens > u.OutputTokens && (f.output == 0 || !ended) {
		u.OutputTokens, u.Estimated = guess.OutputTokens, true
		u.ReasoningTokens = max(u.ReasoningTokens, guess.ReasoningTokens)
	}
	return u
}

// parted parts a total as an estimate would.
func parted(total int64, guess agent.Usage) agent.Usage {
	u := agent.Usage{Tokens: agent.Tokens{InputTokens: total}, Estimated: true}
	if sum := guess.Total(); sum > 0 {
		u.OutputTokens = total * guess.OutputTokens / sum
		u.InputTokens -= u.OutputTokens
		u.ReasoningTokens = min(guess.ReasoningTokens, u.OutputTokens)
	}
	return u
}
