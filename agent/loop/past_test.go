package loop

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// noTools is a Toolbox that knows three tools and runs none.
type noTools struct{ agent.Toolbox }

func (noTools) Lookup(name string) (agent.ToolSpec, bool) {
	return agent.ToolSpec{Name: name, Effect: agent.EffectRead}, name != "unknown"
}

type stoppedClock struct{ agent.Clock }

func (stoppedClock) Now() time.Time { return time.Unix(0, 0) }

func newBreakers(run agent.Run, branch []agent.Message, list []agent.ToolCall) *breakers {
	r := &rows{run: run, clock: stoppedClock{}, tools: callTools{Toolbox: noTools{}}, transcript: transcript{branch: branch}}
	r.calls.load(list)
	return &breakers{rows: r, settings: agent.DefaultGuardSettings(), records: map[string]agent.CallRecord{}}
}

// TestPastAsItGrows: what the guards judge is the same whether a run's trace is
// kept from step to step or made at once.
func TestPastAsItGrows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(20261122, seed))
		b := newBreakers(agent.Run{ID: "run"}, []agent.Message{{ID: "old", RunID: "other", Role: agent.FromAssistant}}, nil)
		for step := range 150 {
			b.run.Steps = step
			answer(b, r, step)
			for _, c := range slices.Clone(b.calls.open()) {
				agree(t, b, &c)
				end(b, r, c)
			}
			agree(t, b, nil)
			if n := len(b.calls.list); n > 0 {
				agree(t, b, &b.calls.list[r.IntN(n)])
			}
			change(b, r)
			if t.Failed() {
				t.Fatalf("step %d of seed %d", step, seed)
			}
		}
	}
}

// answer adds an answer with up to three calls.
func answer(b *breakers, r *rand.Rand, step int) {
	m := agent.Message{ID: fmt.Sprint("m", step), RunID: "run", Role: agent.FromAssistant, Content: []string{"", "a", "b"}[r.IntN(3)]}
	e := agent.Change{Messages: []agent.Message{m}}
	for i := range r.IntN(4) {
		e.Calls = append(e.Calls, agent.CallChange{Call: agent.ToolCall{
			ID: fmt.Sprint(m.ID, "-", i), MessageID: m.ID, Step: step, Index: i, State: agent.CallScheduled,
			Name: []string{"a", "b", "unknown"}[r.IntN(3)], Args: fmt.Sprintf(`{"n":%d}`, r.IntN(3)),
		}})
	}
	b.adopt(e)
}

// end ends a call, if it is not one that is left open for longer.
func end(b *breakers, r *rand.Rand, c agent.ToolCall) {
	if c.State.Ended() || r.IntN(10) == 0 {
		return
	}
	from := c.State
	c.State = []agent.CallState{agent.CallSuccess, agent.CallError}[r.IntN(2)]
	c.Result, c.Blocked = fmt.Sprint(r.IntN(3)), r.IntN(8) == 0
	b.adopt(agent.Change{Calls: []agent.CallChange{{From: from, Call: c}}})
}

// change changes now and then what the past depends on.
func change(b *breakers, r *rand.Rand) {
	switch r.IntN(20) {
	case 0:
		b.run.State.Compacted = len(b.calls.list)
	case 1:
		b.run.State.Polling = append(b.run.State.Polling, agent.CallRef{Tool: "a", Args: argsOfFirst(b)})
	case 2:
		b.run.State.Allowances = append(b.run.State.Allowances, agent.Allowance{N: 2})
	case 3:
		b.load(&agent.Snapshot{Run: b.run, Branch: slices.Clone(b.transcript.branch), Calls: slices.Clone(b.calls.list)})
	}
}

func argsOfFirst(b *breakers) string {
	if len(b.calls.list) == 0 {
		return ""
	}
	return b.record(0).Args
}

func agree(t *testing.T, b *breakers, next *agent.ToolCall) {
	t.Helper()
	if want, got := listed(atOnce(b, next)), listed(b.history(next)); !reflect.DeepEqual(want, got) {
		t.Errorf("the history before %+v (-made at once +kept):\n%s", next, cmp.Diff(want, got))
	}
}

// atOnce makes a history from all messages and calls.
func atOnce(b *breakers, next *agent.ToolCall) *agent.History {
	trace := agent.NewTrace(b.circumstances().reach, b.run.State.Compacted)
	for _, m := range b.transcript.branch {
		if m.RunID != b.run.ID {
			continue
		}
		trace.Say(m.Content)
		for i, c := range b.calls.list {
			switch {
			case c.MessageID != m.ID:
			case next != nil && c.ID == next.ID:
				rec := b.record(i)
				return b.completed(trace.History(&rec, b.settings))
			default:
				trace.Add(b.record(i))
			}
		}
	}
	return b.completed(trace.History(nil, b.settings))
}

// listed is a history in which no list and an empty one are the same.
func listed(h *agent.History) *agent.History {
	h.Calls, h.Answers = append([]agent.CallRecord{}, h.Calls...), append([]string{}, h.Answers...)
	return h
}
