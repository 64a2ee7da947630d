package prices_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

const listFile = `{
 "sample_spec": {"mode": "one of: chat, embedding", "input_cost_per_token": 0.0},
 "gpt-x": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 2.5e-06, "output_cost_per_token": "1e-05", "cache_read_input_token_cost": 1.25e-6},
 "deepseek/deepseek-y": {"litellm_provider": "deepseek", "mode": "chat", "input_cost_per_token": 0.00000028, "output_cost_per_token": 4.2E-7},
 "openai/gpt-x": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1e-3, "output_cost_per_token": 1e-3},
 "far/tiny": {"litellm_provider": "someone", "mode": "responses", "input_cost_per_token": 5e-13, "output_cost_per_token": 4.9e-13, "output_cost_per_reasoning_token": 1.49999999999999999999e-12},
 "openrouter/openai/gpt-x": {"litellm_provider": "openrouter", "mode": "chat", "input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6},
 "embed": {"litellm_provider": "openai", "mode": "embedding", "input_cost_per_token": 1e-7, "output_cost_per_token": 0},
 "free": {"litellm_provider": "ollama", "mode": "chat", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
 "half": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1e-7},
 "less": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": -1e-7, "output_cost_per_token": 1e-7},
 "trap": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": "1e-999999999", "output_cost_per_token": 1e-7},
 "dear": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 0.011, "output_cost_per_token": 1e-7},
 "odd": {"mode": 7}
}`

// TestReadList: numbers and texts, with exponents, become whole micro-USD
// without drift; what has no price is named with the reason, never free.
func TestReadList(t *testing.T) {
	t.Parallel()
	list, err := book(t, nil).ReadList(strings.NewReader(listFile))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]agent.Price{
		"gpt-x":                   {Input: 2_500_000, Cached: 1_250_000, Output: 10_000_000},
		"deepseek-y":              {Input: 280_000, Cached: 280_000, Output: 420_000},
		"far|tiny":                {Input: 1, Cached: 1, Output: 0, Reasoning: 1}, // 0.5 up, 0.49 and 1.4999… down
		"openrouter/openai/gpt-x": {Input: 1_000_000, Cached: 1_000_000, Output: 1_000_000},
	}
	got := map[string]agent.Price{}
	for _, r := range list.Rows {
		id := r.Model
		if r.Provider != "" {
			id = r.Provider + "|" + id
		}
		got[id] = r.Price
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	why := map[string]string{}
	for _, s := range list.Skipped {
		why[s.Model] = s.Why
	}
	for model, part := range map[string]string{
		"sample_spec": "example", "openai/gpt-x": "without is used", "embed": "mode", "free": "by hand", "half": "no price",
		"less": "input_cost_per_token", "trap": "input_cost_per_token", "dear": "at most 0.01", "odd": "cannot be read",
	} {
		if !strings.Contains(why[model], part) || why[model] == "" {
			t.Errorf("%s: %q, want something about %q", model, why[model], part)
		}
	}
}

// TestNamesThatDeceive: a name that looks like another's is not taken.
func TestNamesThatDeceive(t *testing.T) {
	t.Parallel()
	const entry = `{"mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06}`
	list, err := book(t, nil).ReadList(strings.NewReader(`{"gpt-x\u200b": ` + entry + `, "gpt-\u202ex": ` + entry + `, "plain": ` + entry + `}`))
	if err != nil || len(list.Rows) != 1 || len(list.Skipped) != 2 || !strings.Contains(list.Skipped[0].Why, "invisible characters") {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestReadListRefuses: what is no such file says what to do.
func TestReadListRefuses(t *testing.T) {
	t.Parallel()
	for text, part := range map[string]string{
		"<!DOCTYPE html>": "raw file", `{"a": `: "not valid JSON", "[]": "one JSON object", "{}": "contains no models", "": "not valid JSON",
	} {
		_, err := book(t, nil).ReadList(strings.NewReader(text))
		if agent.CodeOf(err) != agent.Invalid || !strings.Contains(agent.MessageOf(err), part) {
			t.Errorf("%q: %v, want something about %q", text, err, part)
		}
	}
}

// TestPlan: an import writes what is new or differs, and only for models that
// are offered where that is asked for.
func TestPlan(t *testing.T) {
	t.Parallel()
	known := row(t, "", "deepseek-y", "2026-01-01", 280_000)
	known.Cached, known.Output = 280_000, 420_000
	b := book(t, nil, known, row(t, "", "gpt-x", "2026-01-01", 7))
	list, err := b.ReadList(strings.NewReader(listFile))
	if err != nil {
		t.Fatal(err)
	}
	at := day(t, "2026-06-01")
	if got, want := b.Plan(list, nil, at).Counts(), (agent.PriceCounts{New: 2, Changed: 1, Same: 1, Skipped: 9}); got != want {
		t.Errorf("all: %+v, want %+v", got, want)
	}
	plan := b.Plan(list, []string{"near/openai/gpt-x", "far/tiny"}, at)
	if got, want := plan.Counts(), (agent.PriceCounts{New: 1, Changed: 1, Skipped: 11}); got != want {
		t.Errorf("offered: %+v, want %+v", got, want)
	}
	if rows := plan.Rows(); len(rows) != 2 || rows[0].Provider != "far" {
		t.Errorf("rows %+v", rows)
	}
}
