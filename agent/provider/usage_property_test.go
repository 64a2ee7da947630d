package provider

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history/historytest"
	"fusebox/agent/provider/wire"
)

// usageAfter is the usage of a stream that tells these, one a chunk.
func usageAfter(usages []string, ended bool) agent.Usage {
	var known wire.Figures
	for _, u := range usages {
		line := strings.NewReplacer("\n", " ", "\r", " ").Replace(`data: {"choices":[],"usage":` + u + `}`)
		s, err := wire.Open(strings.NewReader(line), func() {})
		if err != nil {
			continue
		}
		if c, err := s.Next(); err == nil {
			known = known.Then(c.Figures())
		}
	}
	return answer.CompleteUsage(known, ended, func() agent.Usage {
		return agent.Usage{Tokens: agent.Tokens{InputTokens: 8, OutputTokens: 6, ReasoningTokens: 2}, Estimated: true}
	})
}

// FuzzUsage: whatever is told, the figures hold together.
func FuzzUsage(f *testing.F) {
	for _, s := range usageShapes {
		if s.usage != "" {
			f.Add(s.usage, s.usage, true)
		}
	}
	f.Fuzz(func(t *testing.T, first, second string, ended bool) {
		u := usageAfter([]string{first, second}, ended)
		checkUsage(t, u)
		if u.InputTokens == 0 {
			t.Errorf("no input: %+v", u)
		}
	})
}

var usageKeys = []string{
	"prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens", "reasoning_tokens", "cached_tokens",
	"prompt_cache_hit_tokens", "prompt_cache_miss_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
	"native_tokens_prompt", "native_tokens_completion", "native_tokens_reasoning", "native_tokens_cached",
}

// anyUsage is a usage as no endpoint should send it.
func anyUsage(r *rand.Rand) string {
	fields := map[string]any{}
	for range r.IntN(8) {
		fields[historytest.Pick(r, usageKeys...)] = anyCount(r)
	}
	for range r.IntN(3) {
		key := historytest.Pick(r, "prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details", "billed_units", "tokens")
		fields[key] = historytest.Pick[any](r, nil, "", []int{}, map[string]any{historytest.Pick(r, usageKeys...): anyCount(r), historytest.Pick(r, usageKeys...): anyCount(r)})
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func anyCount(r *rand.Rand) any {
	return historytest.Pick[any](r, 0, 1, 7, 100, 1<<20, mostTokens, mostTokens+1, -1, 1e300, 2.5, "12", "-3", "NaN", "Inf", nil, true, []int{1}, map[string]int{"a": 1}, r.IntN(5000))
}

// TestUsageProperty: the figures hold together, and what is told twice counts once.
func TestUsageProperty(t *testing.T) {
	t.Parallel()
	for n := range agenttest.Part(historytest.Histories) {
		r := rand.New(rand.NewPCG(historytest.Seed+9, uint64(n)))
		usages := make([]string, 1+r.IntN(4))
		for i := range usages {
			usages[i] = anyUsage(r)
		}
		ended := r.IntN(2) == 0
		u := usageAfter(usages, ended)
		checkUsage(t, u)
		if again := usageAfter(append(usages, usages[len(usages)-1]), ended); again != u {
			t.Errorf("told twice: %+v, once: %+v", again, u)
		}
		if t.Failed() {
			t.Fatalf("usage %d of seed %d: %s", n, historytest.Seed+9, strings.Join(usages, " then "))
		}
	}
}

// TestCountsHaveOneMeaning: the same call, counted as each protocol counts it,
// takes the same.
func TestCountsHaveOneMeaning(t *testing.T) {
	t.Parallel()
	for n := range uint64(1000) {
		r := rand.New(rand.NewPCG(historytest.Seed+10, n))
		cached, fresh, thought, said := 1+r.IntN(5000), 1+r.IntN(5000), 1+r.IntN(3000), 1+r.IntN(3000)
		input, output := cached+fresh, thought+said
		want := agent.Usage{Tokens: agent.Tokens{InputTokens: int64(input), CachedTokens: int64(cached), OutputTokens: int64(output), ReasoningTokens: int64(thought)}}
		for _, told := range []string{
			fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`, input, output, input+output, cached, thought),
			fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_cache_hit_tokens":%d,"completion_tokens_details":{"reasoning_tokens":%d}}`, input, output, input+output, cached, thought),
			fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"cached_tokens":%d,"completion_tokens_details":{"reasoning_tokens":%d}}`, input, said, input+output, cached, thought),
			fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`, input, said, input+output, cached),
			fmt.Sprintf(`{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d}}`, fresh, cached, output, thought),
			fmt.Sprintf(`{"prompt_tokens":%d,"native_tokens_prompt":%d,"native_tokens_completion":%d,"native_tokens_cached":%d,"native_tokens_reasoning":%d}`, fresh, input, output, cached, thought),
		} {
			if got := usageAfter([]string{told}, true); got != want {
				t.Fatalf("%s\ngives %+v,\nwant  %+v", told, got, want)
			}
		}
	}
}
