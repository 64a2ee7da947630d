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
)

// walk is a history as a run changes it from request to request. Mostly it
// grows in place; at times it is loaded again, compacted, edited, cut off, or
// has a reminder at its end for one request.
type walk struct {
	r       *rand.Rand
	history []agent.Message
	next    int
	wild    bool // grows as no program should let it
}

// request makes the messages of the next request.
func (w *walk) request() []agent.Message {
	switch w.r.IntN(12) {
	case 0:
		w.history = slices.Clone(w.history)
	case 1:
		w.history = append([]agent.Message{says("[Summary]")}, w.history[w.r.IntN(len(w.history)+1):]...)
	case 2:
		w.history = damaged(w.r, slices.Clone(w.history))
	case 3:
		w.history = slices.Clone(w.history[:w.r.IntN(len(w.history)+1)])
	case 4:
		return append(slices.Clip(w.history), says("[System reminder]"))
	case 5:
		w.history = slices.Clone(w.history)
		for i := range w.history {
			w.history[i].Data = signed(w.r)
		}
	case 6:
		w.history = append(w.history, anyMessage(w.r))
	default:
		w.history = append(w.history, w.step()...)
	}
	return slices.Clip(w.history)
}

// step is what a run appends to its history.
func (w *walk) step() []agent.Message {
	if w.wild {
		return []agent.Message{anyMessage(w.r), anyMessage(w.r)}
	}
	switch w.r.IntN(6) {
	case 0:
		return []agent.Message{says(pick(w.r, "hi", "go on <b>", "好"))}
	case 1:
		return []agent.Message{answers("ok")}
	}
	exchange := validExchange(w.r, &w.next)
	exchange[0].Data = signed(w.r)
	return exchange
}

// signed is what a model of some family may have given a message.
func signed(r *rand.Rand) json.RawMessage {
	return json.RawMessage(pick(r, "", `{"from":":"}`, `{"from":":deepseek"}`, `{"from":":gemini","signatures":{"0":{"google":{"thought_signature":"s1"}}}}`))
}

// eachWalk takes many walks and shows each request with a memory that all of the walk shares.
func eachWalk(t *testing.T, stream uint64, check func(r *rand.Rand, req agent.Request)) {
	t.Helper()
	for n := range rounds(200) {
		w := walk{r: rand.New(rand.NewPCG(historySeed+stream, n)), wild: n%2 == 1}
		memory := &agent.Memory{}
		for range 30 {
			check(w.r, agent.Request{Model: pick(w.r, "plain", "plain", "plain", "deepseek", "gemini"), Messages: w.request(), Memory: memory})
			if t.Failed() {
				t.Fatalf("walk %d of seed %d", n, historySeed+stream)
			}
		}
	}
}

// families gives an endpoint models of three families.
func families(c *Config) {
	c.Models = []Model{{Name: "deepseek", Family: DeepSeek}, {Name: "gemini", Family: Gemini}}
}

// TestCountWithMemory: a history counted as it grows counts as one counted at once.
func TestCountWithMemory(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, "http://localhost:1", families)
	eachWalk(t, 10, func(_ *rand.Rand, req agent.Request) {
		got := p.CountPrompt(req)
		req.Memory = nil
		if want := p.CountPrompt(req); got != want {
			t.Errorf("%d tokens as it grew, %d at once", got, want)
		}
	})
}

// TestRepairWithMemory: a history repaired as it grows is repaired as one that
// was repaired at once, and takes the same ids.
func TestRepairWithMemory(t *testing.T) {
	t.Parallel()
	eachWalk(t, 11, func(_ *rand.Rand, req agent.Request) {
		kept := memoryOf(req)
		got, repairs := kept.repair(req)
		want, wanted := repair(req.Messages)
		if encoded(got) != encoded(want) || repairs != wanted {
			t.Errorf("%d repairs as it grew, %d at once:\n%s\n%s", repairs, wanted, encoded(got), encoded(want))
		}
		calls := 0
		for _, m := range slices.Concat(req.Messages, want) {
			for _, c := range m.ToolCalls {
				if !kept.Taken(c.ID) {
					t.Errorf("the id %q is free", c.ID)
				}
			}
		}
		for _, m := range req.Messages {
			calls += len(m.ToolCalls)
		}
		if kept.Calls() != calls || kept.Taken("none") {
			t.Errorf("%d calls are known of %d", kept.Calls(), calls)
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
	eachWalk(t, 12, func(r *rand.Rand, req agent.Request) {
		req.System, req.MaxTokens = pick(r, "", "Be <careful>."), int64(r.IntN(3))
		req.Tools = pick(r, nil, fixtureTools, fixtureTools[:1], []agent.ToolSpec{{Name: "get_weather"}})
		q := question{req: req, model: p.model(req.Model), as: inPieces, rows: pick(r, nil, nil, []string{"no-system-role"}, []string{"no-calls-in-history"})}
		q.model.Extra = pick(r, nil, nil, map[string]any{"temperature": 0.5, "a.b": 1}, map[string]any{"tools": []any{}}, map[string]any{"messages": 1})
		q.history, _ = memoryOf(req).repair(req)
		if r.IntN(5) == 0 { // as retryBrokenCalls asks again
			q.history = append(slices.Clip(q.history), says(DefaultContinuePrompt))
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

// TestMemoryOfAnotherRun: the ids of calls that a run has left out of its requests
// are free again in the next run of the conversation.
func TestMemoryOfAnotherRun(t *testing.T) {
	t.Parallel()
	req := agent.Request{RunID: "r1", Memory: &agent.Memory{}, CallIDs: []string{"old"}, Messages: []agent.Message{says("hi")}}
	kept := memoryOf(req)
	kept.repair(req)
	if !kept.Taken("old") {
		t.Error("the id of an earlier call of the run is free")
	}
	req.RunID, req.CallIDs = "r2", []string{"new"}
	kept.repair(req)
	if kept.Taken("old") || !kept.Taken("new") {
		t.Error("the next run has the calls of the one before it")
	}
}
