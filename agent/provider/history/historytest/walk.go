package historytest

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
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

func (w *walk) request() []agent.Message {
	switch w.r.IntN(12) {
	case 0:
		w.history = slices.Clone(w.history)
	case 1:
		w.history = append([]agent.Message{Says("[Summary]")}, w.history[w.r.IntN(len(w.history)+1):]...)
	case 2:
		w.history = Damaged(w.r, slices.Clone(w.history))
	case 3:
		w.history = slices.Clone(w.history[:w.r.IntN(len(w.history)+1)])
	case 4:
		return append(slices.Clip(w.history), Says("[System reminder]"))
	case 5:
		w.history = slices.Clone(w.history)
		for i := range w.history {
			w.history[i].Data = signed(w.r)
		}
	case 6:
		w.history = append(w.history, AnyMessage(w.r))
	default:
		w.history = append(w.history, w.step()...)
	}
	return slices.Clip(w.history)
}

func (w *walk) step() []agent.Message {
	if w.wild {
		return []agent.Message{AnyMessage(w.r), AnyMessage(w.r)}
	}
	switch w.r.IntN(6) {
	case 0:
		return []agent.Message{Says(Pick(w.r, "hi", "go on <b>", "好"))}
	case 1:
		return []agent.Message{Answers("ok")}
	}
	exchange := Exchange(w.r, &w.next)
	exchange[0].Data = signed(w.r)
	return exchange
}

// signed is what a model of some family may have given a message.
func signed(r *rand.Rand) json.RawMessage {
	return json.RawMessage(Pick(r, "", `{"from":":"}`, `{"from":":deepseek"}`, `{"from":":gemini","signatures":{"0":{"google":{"thought_signature":"s1"}}}}`))
}

// EachWalk takes many walks and shows each request with a memory that all of the walk shares.
func EachWalk(t *testing.T, stream uint64, check func(r *rand.Rand, req agent.Request)) {
	t.Helper()
	for n := range agenttest.Part(200) {
		w := walk{r: rand.New(rand.NewPCG(Seed+stream, uint64(n))), wild: n%2 == 1}
		memory := &agent.Memory{}
		for range 30 {
			check(w.r, agent.Request{Model: Pick(w.r, "plain", "plain", "plain", "deepseek", "gemini"), Messages: w.request(), Memory: memory})
			if t.Failed() {
				t.Fatalf("walk %d of seed %d", n, Seed+stream)
			}
		}
	}
}
