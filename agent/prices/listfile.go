package prices

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

// entry is what is read of a model in model_prices_and_context_window.json.
// Prices are USD per token, as numbers or as text.
type entry struct {
	Mode      string          `json:"mode"`
	Input     json.RawMessage `json:"input_cost_per_token"`
	Cached    json.RawMessage `json:"cache_read_input_token_cost"`
	Output    json.RawMessage `json:"output_cost_per_token"`
	Reasoning json.RawMessage `json:"output_cost_per_reasoning_token"`
}

// exampleKey is the entry that only explains the fields.
const exampleKey = "sample_spec"

// modes are the kinds of models that this program asks.
var modes = []string{"chat", "completion", "responses"}

// ReadList reads a file in the format of model_prices_and_context_window.json.
// Entries without a usable price are left out, with the reason. Rows have
// neither a day nor a source yet. A name with one of our endpoints before the
// slash is of that endpoint, one with its maker before the slash is the plain
// name; all others, those of hosts and gateways, are used unchanged.
func (b *Book) ReadList(r io.Reader) (agent.PriceList, error) {
	var list agent.PriceList
	entries, err := readEntries(r)
	if err != nil {
		return list, err
	}
	taken := map[name]bool{}
	// Plain names first: if a model is in the file with its vendor, too,
	// the plain one counts.
	keys := slices.SortedFunc(maps.Keys(entries), func(x, y string) int {
		return cmp.Or(cmp.Compare(strings.Count(x, "/"), strings.Count(y, "/")), strings.Compare(x, y))
	})
	for _, key := range keys {
		row, why := b.listed(key, entries[key])
		n := name{row.Provider, row.Model}
		if why == "" && taken[n] {
			why = "is in the file twice, with its vendor's name and without; the one without is used"
		}
		if why != "" {
			list.Skipped = append(list.Skipped, agent.PriceSkip{Model: clip(key), Why: why})
			continue
		}
		taken[n] = true
		list.Rows = append(list.Rows, row)
	}
	return list, nil
}

func readEntries(r io.Reader) (map[string]json.RawMessage, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var entries map[string]json.RawMessage
	err = json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &entries)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, agent.InvalidField("file", "is not valid JSON: %v at byte %d. Download it again, and use the raw file, not the page that shows it", syntax, syntax.Offset)
	case err != nil || len(entries) == 0:
		return nil, agent.InvalidField("file", "contains no models; it must be one JSON object whose keys are models, such as model_prices_and_context_window.json")
	case len(entries) > agent.MaxPriceRows:
		return nil, agent.InvalidField("file", "contains %d models; at most %d are allowed. Reduce it to those that you use", len(entries), agent.MaxPriceRows)
	}
	return entries, nil
}

// listed makes a row of an entry, or says why not.
func (b *Book) listed(key string, raw json.RawMessage) (row agent.PriceRow, why string) {
	var e entry
	if key == exampleKey {
		return row, "is the file's example entry"
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return row, "cannot be read; its fields are not of the expected kinds"
	}
	if !slices.Contains(modes, e.Mode) {
		return row, fmt.Sprintf("is not a text model (mode %q)", clip(e.Mode))
	}
	row = agent.PriceRow{Known: true}
	if row.Provider, row.Model = b.Split(key); row.Provider == "" {
		row.Model = plain(key)
	}
	if row.Price, why = e.price(); why != "" {
		return row, why
	}
	dated := row
	dated.ValidFrom = time.Unix(0, 0)
	if err := dated.Check(); err != nil { // its name cannot be used
		return row, agent.MessageOf(err)
	}
	return row, ""
}

// makers are those of the file's vendors who sell models of their own.
var makers = []string{"anthropic", "cohere", "dashscope", "deepseek", "gemini", "mistral", "moonshot", "openai", "perplexity", "xai"}

// plain is a key without its maker.
func plain(key string) string {
	before, after, slash := strings.Cut(key, "/")
	if slash && !strings.Contains(after, "/") && slices.Contains(makers, before) {
		return after
	}
	return key
}

func (e entry) price() (p agent.Price, why string) {
	for _, f := range []struct {
		field string
		raw   json.RawMessage
		into  *int64
	}{
		{"input_cost_per_token", e.Input, &p.Input}, {"cache_read_input_token_cost", e.Cached, &p.Cached},
		{"output_cost_per_token", e.Output, &p.Output}, {"output_cost_per_reasoning_token", e.Reasoning, &p.Reasoning},
	} {
		if absent(f.raw) {
			continue
		}
		var ok bool
		if *f.into, ok = agent.ParsePrice(strings.Trim(string(f.raw), `"`), 1); !ok {
			return p, fmt.Sprintf("%s is %s; expected USD per token, at most 0.01", f.field, clip(string(f.raw)))
		}
	}
	switch {
	case absent(e.Input) || absent(e.Output):
		return p, "has no price per token for input and output"
	case p.Input == 0 && p.Output == 0:
		return p, "is free in the file; if that is right, set it by hand"
	}
	if absent(e.Cached) {
		p.Cached = p.Input
	}
	return p, ""
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func clip(text string) string {
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return text
}
