package present

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// marked writes pieces as text, what is new in brackets.
func marked(pieces []part.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.New {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestChangesMarkWhatIsNew(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ before, after, want string }{
		{`{"q":"cats","try":1}`, `{"q":"cats","try":2}`, `{"q":"cats","try":[2]}`},
		{"a b c", "a b c", "a b c"},
		{"", "new", "[new]"},
		{"gone", "", ""},
		{"read part1.txt now", "read part2.txt right now", "read [part2].txt [right ]now"},
		{"读第1页", "读第2页", "[读第2页]"},
		{strings.Repeat("a ", 300), "b", "b"}, // too long to compare: shown whole
	} {
		if got := marked(changes(tc.before, tc.after)); got != tc.want {
			t.Errorf("%q -> %q: %q, want %q", tc.before, tc.after, got, tc.want)
		}
	}
}

// TestLoopIsComparedWithWhatItRepeats: of two calls that take turns each stands
// beside its own last one; a long streak is folded in the middle; what it cost
// is one sentence.
func TestLoopIsComparedWithWhatItRepeats(t *testing.T) {
	t.Parallel()
	ev := agent.LoopEvidence{Detector: "ping_pong", Count: 20, Threshold: 8}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i := range 20 {
		ev.Calls = append(ev.Calls, agent.EvidenceCall{
			N: i + 1, ToolName: "look", Args: json.RawMessage(fmt.Sprintf(`{"x":%d}`, i%2)), Result: fmt.Sprint("r", i%2),
			Tokens: 100, CostMicros: 10_000, At: at.Add(time.Duration(i) * 10 * time.Second),
		})
	}
	ev.Calls[18].Result = "r7"
	raw, err := json.Marshal(ev)
	if err != nil {
		t.Fatal(err)
	}
	l := loopShown(text.In(t.Context()), raw, false)
	if len(l.Calls) != 3 || len(l.Folded) != 9 || len(l.Last) != 8 || l.Name != "Two calls taking turns" {
		t.Fatalf("%d, %d folded, %d, named %q", len(l.Calls), len(l.Folded), len(l.Last), l.Name)
	}
	if l.Cost != "These 20 calls used 2k tokens ($0.20) in 3:10" {
		t.Errorf("cost %q", l.Cost)
	}
	if second := l.Calls[1]; second.SameArgs || marked(second.Args) != `{"x":[1]}` {
		t.Errorf("the second call shows %q", marked(second.Args))
	}
	if third := l.Calls[2]; !third.SameArgs || !third.SameResult {
		t.Errorf("the third call repeats the first: %+v", third)
	}
	if c := l.Last[6]; !c.SameArgs || c.SameResult || marked(c.Result) != "[r7]" {
		t.Errorf("the changed result shows %q", marked(c.Result))
	}
}

// TestChantIsShownInWhatItsRuleCounts: how long it went on, and where in the
// answer it begins.
func TestChantIsShownInWhatItsRuleCounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, length, where string
		place               *agent.TextPlace
	}{
		{"units", "40 times, trips at 30", "", nil},
		{"period", "40 times, trips at 30", "It begins at the start of the answer.", &agent.TextPlace{}},
		{"rising", "40 lines, trips at 30", "It begins 9 characters into the answer, after “All good.”", &agent.TextPlace{At: 9, Before: "All good."}},
		{"novelty", "40 characters, trips at 30", "", nil},
		{"white_space", "40 characters, trips at 30", "", nil},
	} {
		raw, err := json.Marshal(agent.LoopEvidence{Detector: "chanting", Rule: tc.rule, Count: 40, Threshold: 30, Text: "again", Place: tc.place})
		if err != nil {
			t.Fatal(err)
		}
		l := loopShown(text.In(t.Context()), raw, false)
		if l.Length != tc.length || l.Place != tc.where {
			t.Errorf("%s: %q, %q", tc.rule, l.Length, l.Place)
		}
	}
}
