package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/history/historytest"
	"fusebox/agent/provider/streamtest"
)

// families gives an endpoint models of three families.
func families(c *Config) {
	c.Models = []Model{{Name: "deepseek", Family: DeepSeek}, {Name: "gemini", Family: Gemini}}
}

// TestCountWithMemory: a history counted as it grows counts as one counted at once.
func TestCountWithMemory(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, "http://localhost:1", families)
	historytest.EachWalk(t, 10, func(_ *rand.Rand, req agent.Request) {
		got := p.CountPrompt(req)
		req.Memory = nil
		if want := p.CountPrompt(req); got != want {
			t.Errorf("%d tokens as it grew, %d at once", got, want)
		}
	})
}

// TestEncodeWithMemory: a request encoded as its history grows says the same as
// one that the SDK encodes at once, and changes nothing of those before it.
func TestEncodeWithMemory(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, "http://localhost:1", families)
	var last, before string
	var sent body
	historytest.EachWalk(t, 12, func(r *rand.Rand, req agent.Request) {
		req.System, req.MaxTokens = historytest.Pick(r, "", "Be <careful>."), int64(r.IntN(3))
		req.Tools = historytest.Pick(r, nil, streamtest.Tools, streamtest.Tools[:1], []agent.ToolSpec{{Name: "get_weather"}})
		q := question{req: req, model: p.model(req.Model), as: inPieces, rows: historytest.Pick(r, nil, nil, []string{"no-system-role"}, []string{"roles-alternate"}, []string{"no-calls-in-history"})}
		q.model.Extra = historytest.Pick(r, nil, nil, map[string]any{"temperature": 0.5, "a.b": 1}, map[string]any{"tools": []any{}}, map[string]any{"messages": 1})
		q.history, _ = history.Of(req).Repair(req)
		if r.IntN(5) == 0 { // as retryBrokenCalls asks again
			q.history = append(slices.Clip(q.history), historytest.Says(DefaultContinuePrompt))
		}
		out := newOutgoing(q, p.origin(q.model), p.signer(q.model))
		out.apply(q.model.Family, p.rows(q))
		b, err := p.body(out)
		if err != nil {
			t.Fatal(err)
		}
		want, err := out.bySDK()
		if err != nil {
			t.Fatal(err)
		}
		if want, got := decoded(t, want), decoded(t, readBody(t, b)); !reflect.DeepEqual(want, got) {
			t.Errorf("encoded (-at once +as it grew):\n%s", cmp.Diff(want, got))
		}
		if last = string(readBody(t, sent)); last != before {
			t.Errorf("the request before was changed:\n%s\n%s", before, last)
		}
		sent, before = b, string(readBody(t, b))
	})
}

func readBody(t *testing.T, b body) []byte {
	t.Helper()
	r, _ := b.open()
	raw, err := io.ReadAll(r)
	if err != nil || int64(len(raw)) != b.size() {
		t.Fatalf("%d bytes of %d: %v", len(raw), b.size(), err)
	}
	return raw
}

// decoded is a JSON text with its numbers as they were written.
func decoded(t *testing.T, raw []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || d.More() {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}
