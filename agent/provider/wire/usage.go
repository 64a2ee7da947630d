package wire

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxCount bounds a number of tokens: no call takes as many, so that a larger
// one is not a figure and must not eat a budget.
const maxCount = 100_000_000

// Count is a number of tokens; nonsense counts as none.
type Count int64

// UnmarshalJSON never fails. It also takes 12.0 and "12", and null.
func (c *Count) UnmarshalJSON(raw []byte) error {
	f, _ := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64) // 0 or infinite on error
	if f > 0 && f <= maxCount {
		*c = Count(f)
	}
	return nil
}

// usage is what an endpoint reports about a call, under all the names that there
// are. 0 means that it does not report one.
type usage struct {
	Prompt       Count `json:"prompt_tokens"`
	Completion   Count `json:"completion_tokens"`
	Total        Count `json:"total_tokens"`
	Input        Count `json:"input_tokens"`
	Output       Count `json:"output_tokens"`
	Reasoning    Count `json:"reasoning_tokens"`
	Cached       Count `json:"cached_tokens"`
	CacheHit     Count `json:"prompt_cache_hit_tokens"`
	CacheMiss    Count `json:"prompt_cache_miss_tokens"`
	CacheRead    Count `json:"cache_read_input_tokens"`
	CacheWritten Count `json:"cache_creation_input_tokens"`

	PromptDetails     usageDetails `json:"prompt_tokens_details"`
	InputDetails      usageDetails `json:"input_tokens_details"`
	CompletionDetails usageDetails `json:"completion_tokens_details"`
	OutputDetails     usageDetails `json:"output_tokens_details"`

	NativePrompt     Count `json:"native_tokens_prompt"` // as the model counts, which is what is paid
	NativeCompletion Count `json:"native_tokens_completion"`
	NativeReasoning  Count `json:"native_tokens_reasoning"`
	NativeCached     Count `json:"native_tokens_cached"`

	Billed usagePair `json:"billed_units"`
	Tokens usagePair `json:"tokens"`

	costs costs
}

type usageDetails struct {
	Cached    Count `json:"cached_tokens"`
	Reasoning Count `json:"reasoning_tokens"`
}

type usagePair struct {
	Input  Count `json:"input_tokens"`
	Output Count `json:"output_tokens"`
}

// UnmarshalJSON never fails: a usage of another form must not void its answer.
func (u *usage) UnmarshalJSON(raw []byte) error {
	type plain usage
	_ = json.Unmarshal(raw, (*plain)(u)) // what does not fit is ignored
	_ = json.Unmarshal(raw, &u.costs)
	return nil
}

func (u *usage) empty() bool { return u == nil || u.figures() == Figures{} }

// timings are how llama.cpp tells its counts, also where it sends no usage.
type timings struct {
	// Cached tells how much of the prompt was not read again. Servers that leave
	// it out leave those tokens out of Prompt too.
	Cached    *Count `json:"cache_n"`
	Prompt    Count  `json:"prompt_n"`
	Predicted Count  `json:"predicted_n"`
}

// UnmarshalJSON never fails.
func (t *timings) UnmarshalJSON(raw []byte) error {
	type plain timings
	_ = json.Unmarshal(raw, (*plain)(t)) // what does not fit is ignored
	return nil
}

func (t timings) figures() Figures {
	f := Figures{Output: int64(t.Predicted)}
	if t.Cached != nil {
		f.Input, f.Cached = int64(t.Prompt+*t.Cached), int64(*t.Cached)
	}
	return f
}

// Figures are the counts of a call in one meaning: cached tokens are part of
// the input, reasoning tokens part of the output. 0 means what is not
// known.
type Figures struct {
	Input, Cached, Output, Reasoning int64
	// total is input and output together where neither is known.
	Total int64
	// Cost is what the endpoint says that the call costs, in micro-USD.
	Cost int64
}

// figures brings what an endpoint tells into one meaning.
func (u usage) figures() Figures {
	input := cmp.Or(u.NativePrompt, u.Prompt, u.Input, u.Billed.Input, u.Tokens.Input, u.CacheHit+u.CacheMiss)
	output := cmp.Or(u.NativeCompletion, u.Completion, u.Output, u.Billed.Output, u.Tokens.Output)
	cached := max(u.Cached, u.CacheHit, u.CacheRead, u.PromptDetails.Cached, u.InputDetails.Cached, u.NativeCached)
	reasoning := max(u.Reasoning, u.CompletionDetails.Reasoning, u.OutputDetails.Reasoning, u.NativeReasoning)
	if u.cacheBeside(input, output, cached, reasoning) {
		input += cached + u.CacheWritten
	}
	if reasoning > output {
		output += reasoning // counted separately
	}
	switch rest := u.Total - input - output; {
	case input == 0 && output == 0:
		return Figures{Total: int64(u.Total)}
	case rest <= 0:
	case input == 0:
		input = rest
	case output == 0:
		output = rest
	default: // the model thought, which only shows in the total
		output += rest
		reasoning = cmp.Or(reasoning, rest)
	}
	input, output = min(input, maxCount), min(output, maxCount)
	return Figures{
		Input: int64(input), Cached: int64(min(cached, input)),
		Output: int64(output), Reasoning: int64(min(reasoning, output)),
	}
}

// cacheBeside reports whether the input was counted without what came from a
// cache or went into one: where the total says so, where it goes by the names
// of the protocol that counts like this, or where it cannot be otherwise.
func (u usage) cacheBeside(input, output, cached, reasoning Count) bool {
	cache := cached + u.CacheWritten
	switch {
	case cache == 0 || input == 0:
		return false
	case u.Total == input+output+cache && cache != reasoning:
		return true
	case u.Prompt == 0 && u.Input > 0 && u.CacheRead+u.CacheWritten > 0:
		return true
	default:
		return cached > input // what is more than the prompt cannot be in it
	}
}

// Then is what is known once a later count came. Counts are cumulative, so the
// later one counts; what it leaves out, or reports as none, is kept.
func (f Figures) Then(later Figures) Figures {
	if later.Input > 0 {
		if later.Input != f.Input || later.Cached > 0 {
			f.Cached = later.Cached
		}
		f.Input = later.Input
	}
	if later.Output > 0 {
		if later.Output != f.Output || later.Reasoning > 0 {
			f.Reasoning = later.Reasoning
		}
		f.Output = later.Output
	}
	f.Total = cmp.Or(later.Total, f.Total)
	f.Cost = cmp.Or(later.Cost, f.Cost)
	return f
}

// Figures are all the counts of a chunk, whose quirks are undone.
func (c Chunk) Figures() Figures {
	f := Figures{Input: int64(c.PromptEval), Output: int64(c.Eval)}
	if c.Timings != nil {
		f = f.Then(c.Timings.figures())
	}
	if c.Usage != nil {
		costs := c.Usage.costs
		told := cmp.Or(costs.Cost, costs.Total, costs.Estimated, costs.Details.Total)
		if costs.OwnKey || told == 0 {
			told += costs.Details.Upstream
		}
		f = f.Then(c.Usage.figures()).Then(Figures{Cost: int64(told)})
	}
	return f
}

// maxCost bounds what a call may be said to cost, in micro-USD: no call costs as much.
const maxCost = 1_000 * 1_000_000

// money is an amount in micro-USD that endpoints tell in USD; nonsense, and what costs
// less than one, is none.
type money int64

// UnmarshalJSON never fails. It also takes "0.01", and an object with a total.
func (m *money) UnmarshalJSON(raw []byte) error {
	if strings.HasPrefix(string(raw), "{") {
		var parts struct {
			Total money `json:"total_cost"`
		}
		_ = json.Unmarshal(raw, &parts) // what does not fit is none
		*m = parts.Total
		return nil
	}
	f, _ := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64) // 0 or infinite on error
	if micros := math.Round(f * 1_000_000); micros > 0 && micros <= maxCost {
		*m = money(micros)
	}
	return nil
}

type costs struct {
	Cost      money `json:"cost"`
	Total     money `json:"total_cost"`
	Estimated money `json:"estimated_cost"`
	// OwnKey says that the model's own vendor is paid as well.
	OwnKey  bool `json:"is_byok"`
	Details struct {
		Upstream money `json:"upstream_inference_cost"`
		Total    money `json:"total_cost"`
	} `json:"cost_details"`
}
