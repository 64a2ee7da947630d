package prices_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/prices"
)

func day(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func row(t *testing.T, provider, model, from string, input int64) agent.PriceRow {
	t.Helper()
	return agent.PriceRow{Provider: provider, Model: model, ValidFrom: day(t, from), Known: input >= 0, Price: agent.Price{Input: max(input, 0)}, Source: "admin"}
}

func book(t *testing.T, config []agent.PriceRow, admins ...agent.PriceRow) *prices.Book {
	t.Helper()
	b := prices.New(prices.Options{
		Endpoints: func() []string { return []string{"far", "near"} }, Config: config,
		Read: func(context.Context) ([]agent.PriceRow, error) { return admins, nil },
	})
	if err := b.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPrecedence: whoever is nearer to the call wins; a source without a row for
// the model passes the question on, one that says "not known" does not.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	at := day(t, "2026-06-01")
	config := []agent.PriceRow{
		{Model: "gpt-4o", Known: true, Price: agent.Price{Input: 40}},
		{Model: "far/gpt-4o", Known: true, Price: agent.Price{Input: 41}},
	}
	b := book(t, config,
		row(t, "far", "gpt-4.1", "2026-01-01", 10), row(t, "", "gpt-4.1", "2026-02-01", 20),
		row(t, "", "gpt-5", "2026-01-01", -1), row(t, "far", "gpt-5-mini", "2026-01-01", -1),
		row(t, "", "openai/gpt-4o-mini", "2026-01-01", 30), row(t, "", "o3", "2026-07-01", 60),
	)
	for _, c := range []struct {
		id    string
		known bool
		input int64
	}{
		{"far/gpt-4.1", true, 10},  // the endpoint's own row, though another one is newer
		{"near/gpt-4.1", true, 20}, // that of any endpoint
		{"gpt-4.1", true, 20},
		{"openai/gpt-4.1", true, 20}, // a gateway's name for the same model
		{"far/gpt-4o", true, 41},     // the configuration's, by the endpoint
		{"near/gpt-4o", true, 40},
		{"far/openai/gpt-4o", true, 40},
		{"gpt-5", false, 0}, // taken back: neither configuration nor table is asked
		{"far/gpt-5", false, 0},
		{"far/gpt-5-mini", false, 0},
		{"near/gpt-5-mini", true, 250_000}, // taken back at the other endpoint only
		{"openai/gpt-4o-mini", true, 30},
		{"gpt-4o-mini", true, 150_000}, // that row is of the longer name
		{"o3", true, 2_000_000},        // the admin's row does not hold yet
		{"somebody/gpt-4o", false, 0},  // neither an endpoint nor a vendor that is known
		{"gpt-4", true, 30_000_000},
		{"gpt-4-turbo-2099-01-01", false, 0}, // never by how a name begins
		{"gpt-4o-mini-tuned", false, 0},
		{"", false, 0},
	} {
		if r, known := b.Find(c.id, at); known != c.known || known && r.Input != c.input {
			t.Errorf("%s: known %v, input %d; want %v, %d", c.id, known, r.Input, c.known, c.input)
		}
	}
}

// TestValidity: a price applies from its first instant on, not a millisecond before.
func TestValidity(t *testing.T) {
	t.Parallel()
	b := book(t, nil, row(t, "", "m", "2026-01-01", 1), row(t, "", "m", "2026-02-01", 2), row(t, "", "m", "2026-03-01", -1), row(t, "", "m", "2026-04-01", 4))
	for _, c := range []struct {
		at    time.Time
		known bool
		input int64
	}{
		{day(t, "2026-01-01").Add(-time.Millisecond), false, 0},
		{day(t, "2026-01-01"), true, 1},
		{day(t, "2026-02-01").Add(-time.Millisecond), true, 1},
		{day(t, "2026-02-01"), true, 2},
		{day(t, "2026-03-01"), false, 0},
		{day(t, "2026-04-01"), true, 4},
	} {
		if p, known := b.Price("m", c.at); known != c.known || p.Input != c.input {
			t.Errorf("%s: known %v, input %d; want %v, %d", c.at, known, p.Input, c.known, c.input)
		}
	}
}

// TestShippedTable: every row passes the check that admins' rows do, has a day
// and a source, and the models that differ by a suffix have prices of their own.
func TestShippedTable(t *testing.T) {
	t.Parallel()
	rows := prices.Shipped()
	models := map[string]bool{}
	for _, r := range rows {
		models[r.Model] = true
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", r.Model, err)
		}
		if r.Known && (r.Input == 0 || r.Output == 0 || r.Cached == 0 || r.Cached > r.Input) {
			t.Errorf("%s from %s has an odd price: %+v", r.Model, r.ValidFrom, r.Price)
		}
		if r.Source == "" || r.ValidFrom.After(day(t, prices.Compiled)) {
			t.Errorf("%s: source %q, from %s", r.Model, r.Source, r.ValidFrom)
		}
	}
	if len(models) < 40 {
		t.Errorf("only %d models", len(models))
	}
	b := book(t, nil)
	got := map[string]agent.Price{}
	for _, id := range []string{"gpt-4o", "gpt-4o-mini", "gpt-4o-2024-05-13", "qwen-plus"} {
		got[id], _ = b.Price(id, day(t, "2026-01-02"))
	}
	want := map[string]agent.Price{
		"gpt-4o": {Input: 2_500_000, Cached: 1_250_000, Output: 10_000_000}, "gpt-4o-mini": {Input: 150_000, Cached: 75_000, Output: 600_000},
		"gpt-4o-2024-05-13": {Input: 5_000_000, Cached: 5_000_000, Output: 15_000_000},
		"qwen-plus":         {Input: 400_000, Cached: 400_000, Output: 1_200_000, Reasoning: 4_000_000},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRounding: each step is rounded by itself, half up.
func TestRounding(t *testing.T) {
	t.Parallel()
	half := agent.Price{Input: 500_000} // half a micro-USD a token
	for _, c := range []struct {
		price agent.Price
		usage agent.Usage
		want  int64
	}{
		{half, agent.Usage{Tokens: agent.Tokens{InputTokens: 1}}, 1}, // 0.5 up
		{agent.Price{Input: 490_000}, agent.Usage{Tokens: agent.Tokens{InputTokens: 1}}, 0},
		{agent.Price{Input: 499_999}, agent.Usage{Tokens: agent.Tokens{InputTokens: 1}}, 0},
		{half, agent.Usage{Tokens: agent.Tokens{InputTokens: 3}}, 2},
		// The parts are added before they are rounded: 0.3 + 0.3 is 0.6.
		{agent.Price{Input: 300_000, Output: 300_000}, agent.Usage{Tokens: agent.Tokens{InputTokens: 1, OutputTokens: 1}}, 1},
		{agent.Price{Input: 2_000_000, Cached: 500_000}, agent.Usage{Tokens: agent.Tokens{InputTokens: 10, CachedTokens: 5}}, 13},
		{agent.Price{Output: 1_000_000, Reasoning: 3_000_000}, agent.Usage{Tokens: agent.Tokens{OutputTokens: 10, ReasoningTokens: 4}}, 18},
	} {
		if got := c.price.Cost(c.usage); got != c.want {
			t.Errorf("%+v of %+v costs %d, want %d", c.usage, c.price, got, c.want)
		}
	}
	// Two steps of half a micro-USD are two, one step of both is one.
	one := half.Cost(agent.Usage{Tokens: agent.Tokens{InputTokens: 1}})
	if sum, both := one+one, half.Cost(agent.Usage{Tokens: agent.Tokens{InputTokens: 2}}); sum != 2 || both != 1 {
		t.Errorf("two steps %d, one step %d", sum, both)
	}
}

func BenchmarkFind(b *testing.B) {
	book := prices.New(prices.Options{Endpoints: func() []string { return []string{"far"} }})
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		book.Find("far/openai/gpt-4o", at)
	}
}

// TestLoadWhileAsked: prices change while calls are being priced; each asker gets
// one or the other, whole.
func TestLoadWhileAsked(t *testing.T) {
	t.Parallel()
	at := day(t, "2026-06-01")
	var n atomic.Int64
	b := prices.New(prices.Options{Read: func(context.Context) ([]agent.PriceRow, error) {
		v := n.Add(1)
		return []agent.PriceRow{{Model: "m", ValidFrom: day(t, "2026-01-01"), Known: true, Price: agent.Price{Input: v, Output: v}}}, nil
	}})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				if err := b.Load(context.Background()); err != nil {
					t.Error(err)
				}
				if p, known := b.Price("m", at); !known || p.Input != p.Output {
					t.Errorf("known %v, %+v", known, p)
				}
			}
		})
	}
	all.Wait()
	if p, _ := b.Price("m", at); p.Input != n.Load() {
		t.Errorf("the last load read %d, the book says %d", n.Load(), p.Input)
	}
}
