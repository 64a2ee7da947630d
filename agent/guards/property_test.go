package guards

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// step is one call of a made-up history: few tools, few arguments, few results,
// so that all kinds of streaks come to be.
type step struct {
	turn   bool
	tool   string
	fields map[string]any
	result string
	failed bool
}

func randomSteps(rnd *rand.Rand, n int) []step {
	steps := make([]step, n)
	kinds := 1 + rnd.IntN(6)
	for i := range steps {
		k := rnd.IntN(kinds)
		steps[i] = step{
			turn: rnd.IntN(5) > 0, tool: fmt.Sprint("t", k%2), result: fmt.Sprint("r", rnd.IntN(2)), failed: rnd.IntN(9) == 0,
			fields: map[string]any{"a": k, "b": map[string]any{"x": k, "y": "z"}, "c": []any{k, "q"}},
		}
	}
	return steps
}

// play shows steps to the detectors and returns what they say.
func play(steps []step, args func(step) string, blocked func(i int) bool) []string {
	r := NewReplay(agent.DefaultGuardSettings(), agent.GuardConfig{}, anyTool, 0)
	var said []string
	note := func(vs []agent.Verdict) {
		for _, v := range vs {
			said = append(said, fmt.Sprintf("%s %s %d", v.Level, v.Detector, v.Count))
		}
	}
	for i, s := range steps {
		if s.turn || i == 0 {
			note(r.Turn())
		}
		c := agent.ToolCall{Name: s.tool, Args: args(s), State: agent.CallSuccess, Result: s.result}
		if s.failed {
			c.State, c.ErrorType = agent.CallError, agent.ErrExecution
		}
		if blocked != nil && blocked(i) {
			c.Blocked, c.State, c.Result = true, agent.CallError, ""
		}
		note(r.Call(c))
	}
	note(r.End())
	return said
}

func sorted(s step) string {
	b, err := json.Marshal(s.fields)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// shuffled writes the same fields in any order, with white space, and whole
// numbers as 1.0.
func shuffled(rnd *rand.Rand) func(step) string {
	var write func(v any) string
	write = func(v any) string {
		switch v := v.(type) {
		case map[string]any:
			var parts []string
			for k, e := range v {
				parts = append(parts, fmt.Sprintf("%q : %s", k, write(e)))
			}
			rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			return "{ " + strings.Join(parts, " ,") + "}"
		case []any:
			var parts []string
			for _, e := range v {
				parts = append(parts, write(e))
			}
			return "[" + strings.Join(parts, ", ") + " ]"
		case int:
			return fmt.Sprintf("%d.0", v)
		default:
			return fmt.Sprintf("%q", v)
		}
	}
	return func(s step) string { return write(s.fields) }
}

// rounds is how many histories a test makes.
func rounds() int { return agenttest.Part(400) }

// TestOrderOfKeysChangesNothing: however a model writes the same arguments.
func TestOrderOfKeysChangesNothing(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 1))
	loudOnes := 0
	for range rounds() {
		steps := randomSteps(rnd, 5+rnd.IntN(40))
		want, got := play(steps, sorted, nil), play(steps, shuffled(rnd), nil)
		if !slices.Equal(want, got) {
			t.Fatalf("sorted %v, shuffled %v", want, got)
		}
		if len(want) > 0 {
			loudOnes++
		}
	}
	if loudOnes < rounds()/10 {
		t.Errorf("only %d of %d histories say anything", loudOnes, rounds())
	}
}

// TestDistinctCallsDisturbNobody: a call that was never made, with a result
// that never came, makes no quiet history loud: added to it, for no detector;
// put anywhere into its past, for all but the rounds of cycle, which may lack
// just the call that it takes the place of, and nothing_new, which leaves rounds to
// cycle and takes over once the new call has broken them up.
func TestDistinctCallsDisturbNobody(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(12, 1))
	quietOnes := 0
	for range 4 * rounds() {
		steps := randomSteps(rnd, 3+rnd.IntN(20))
		if len(play(steps, sorted, nil)) > 0 {
			continue
		}
		quietOnes++
		distinct := step{turn: true, tool: "new", fields: map[string]any{"word": "never said"}, result: "never seen"}
		at := rnd.IntN(len(steps) + 1)
		if at < len(steps) && !steps[at].turn {
			continue // it would cut an answer in two
		}
		more := slices.Insert(slices.Clone(steps), at, distinct)
		if said := play(append(steps, distinct), sorted, nil); len(said) > 0 {
			t.Errorf("a new call at the end made it say %v", said)
		}
		said := slices.DeleteFunc(play(more, sorted, nil), func(s string) bool { return strings.Contains(s, " cycle ") || strings.Contains(s, " nothing_new ") })
		if len(said) > 0 {
			t.Errorf("a new call at %d of %d made it say %v", at, len(steps), said)
		}
	}
	if quietOnes < rounds()/10 {
		t.Errorf("only %d histories are quiet", quietOnes)
	}
}

// TestBlockingIsNoProgress: where a call is held back, no detector that counts
// equal calls counts less than where it had been executed.
func TestBlockingIsNoProgress(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(13, 1))
	for range rounds() {
		steps := randomSteps(rnd, 5+rnd.IntN(25))
		for i := range steps {
			steps[i].turn, steps[i].failed = true, false
		}
		hold := rnd.IntN(len(steps))
		executed := countsOf(steps, -1)
		held := countsOf(steps, hold)
		for key, n := range executed {
			if held[key] < n {
				t.Fatalf("%s counted %d, and %d with call %d held back", key, n, held[key], hold+1)
			}
		}
	}
}

// countsOf judges each call and returns the counts of the detectors of equal
// calls, by detector and call.
func countsOf(steps []step, hold int) map[string]int {
	t := agent.NewTrace(agent.MinHistory, 0)
	s := agent.DefaultGuardSettings()
	counts := map[string]int{}
	for i, st := range steps {
		c := agent.ToolCall{Name: st.tool, Args: sorted(st), State: agent.CallSuccess, Result: st.result, Step: i + 1, Blocked: i == hold}
		rec := agent.RecordOf(i+1, c, agent.ToolSpec{}, true)
		next := rec
		next.Result = ""
		h := t.History(&next, s)
		for _, g := range []agent.Guard{genericRepeat{warn: 1}, noProgress{warn: 1}, breaker{limit: 1}} {
			counts[fmt.Sprintf("%s at call %d", g.Name(), i+1)] = g.Check(h).Count
		}
		t.Add(rec)
	}
	return counts
}
