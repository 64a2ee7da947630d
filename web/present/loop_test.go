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
	l := loopShown(text.In(t.Context()), "r", raw, false)
	if len(l.Calls) != 3 || len(l.Folded) != 9 || len(l.Last) != 8 || l.Name != "Two calls taking turns" {
		t.Fatalf("%d, %d folded, %d, named %q", len(l.Calls), len(l.Folded), len(l.Last), l.Name)
	}
	if l.Cost != "These 20 calls used 2k tokens ($0.20) in 3:10" {
		t.Errorf("cost %q", l.Cost)
	}
	if second := l.Calls[1]; second.SameArgs || marked(second.Args) != `{"x":[1]}` {
		t.Errorf("the second call shows %q", marked(second.Args))
	}
	if third := l.Calls[2]; !third.SameArgs || !third.SameResult || third.As != 1 {
		t.Errorf("the third call repeats the first: %+v", third)
	}
	if c := l.Last[7]; c.As != 2 || c.ResultAs != 2 {
		t.Errorf("the last call equals #%d, its result that of #%d, want the second", c.As, c.ResultAs)
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
		l := loopShown(text.In(t.Context()), "r", raw, false)
		if l.Length != tc.length || l.Place != tc.where {
			t.Errorf("%s: %q, %q", tc.rule, l.Length, l.Place)
		}
	}
}

// Calls of other agents are named as such, and their pictures are those of their runs.
func TestStreakOfSeveralAgents(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(agent.LoopEvidence{Detector: "tree_repeat", Count: 8, Threshold: 8, Calls: []agent.EvidenceCall{
		{N: 1, RunID: "r", ToolName: "look", Args: json.RawMessage(`{"x":1}`)},
		{N: 2, RunID: "s", Agent: "scout", ToolName: "look", Args: json.RawMessage(`{"x":1}`), Images: []agent.Image{{Name: "p.png"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	l := loopShown(text.In(t.Context()), "r", raw, false)
	if l.Name != "Several agents repeating one call" || l.Calls[0].Agent != "" || l.Calls[1].Agent != "scout" || !strings.Contains(l.Calls[1].Pictures[0].Href, "/s/") {
		t.Errorf("%s: %+v", l.Name, l.Calls)
	}
}

// stepsOf writes a pattern as text, what is new in brackets.
func stepsOf(steps []part.LoopStep) string {
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = strings.Join(strings.Fields(fmt.Sprintf("%s %d × %s {%s} → %s", s.Letter, s.Times, s.Tool, marked(s.Args), s.Gives)), " ")
	}
	return strings.Join(lines, "\n")
}

// TestStreakInShort: a streak is one line, calls that take turns one line each, and
// calls that only resemble each other show what differs.
func TestStreakInShort(t *testing.T) {
	t.Parallel()
	calls := func(tool, result string, args ...string) []agent.EvidenceCall {
		var all []agent.EvidenceCall
		for i, a := range args {
			all = append(all, agent.EvidenceCall{N: i + 1, ToolName: tool, Args: json.RawMessage(a), Result: result})
		}
		return all
	}
	held := append(calls("calculator", `{"result":2}`, `{"expression":"1+1"}`, `{"expression":"1+1"}`),
		agent.EvidenceCall{N: 3, ToolName: "calculator", Args: json.RawMessage(`{ "expression": "1+1" }`), Blocked: true})
	changing := calls("look", "", `{"x":"a"}`, `{"x":"a"}`)
	changing[0].Result, changing[1].Result = "one", "two"
	a, b, c := `{"q":"a"}`, `{"q":"b"}`, `{"q":"c"}`
	for _, tc := range []struct {
		name  string
		calls []agent.EvidenceCall
		want  string
	}{
		{"none", nil, ""},
		{"equal, the last one held", held, "3 × calculator {1+1} → 2"},
		{"equal, with other results", changing, "2 × look {a} → different results"},
		{"a long result", calls("look", strings.Repeat("x", 200), a, a), "2 × look {a} → the same result"},
		{"two in turns", calls("look", "r", a, b, a, b), "A 2 × look {a} → r\nB 2 × look {b} → r"},
		{"a period of three, in the middle of a round", calls("look", "r", a, b, c, a, b, c, a), "A 3 × look {a} → r\nB 2 × look {b} → r\nC 2 × look {c} → r"},
		{"alike", calls("read_file", "r", `{"path":"part 1"}`, `{"path":"part 2"}`, `{"path":"part 3"}`), "3 × read_file {part [3]} → r"},
	} {
		if got := stepsOf(patternOf(text.In(t.Context()), tc.calls)); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestBestWayFirst: what ends a loop is proposed first, each way says what it costs, and
// the settled card says which was taken.
func TestBestWayFirst(t *testing.T) {
	t.Parallel()
	tr := text.In(t.Context())
	a := agent.Approval{
		Kind: agent.KindLoop, ToolCallID: "c", Decision: agent.DecideResume,
		Options:  []agent.Option{{ID: agent.ResumePlain}, {ID: agent.ResumeAllowMore}, {ID: agent.ResumeAsPolling}, {ID: agent.ResumeFinishNow}},
		Evidence: json.RawMessage(`{"detector":"generic_repeat","calls":[{"tokens":100},{"tokens":1800,"costMicros":300},{"blocked":true}]}`),
	}
	var ids, costs []string
	for _, c := range choicesOf(tr, a, false) {
		ids, costs = append(ids, c.ID), append(costs, c.Cost)
	}
	if got := strings.Join(ids, " "); got != "finish_now hint allow_more as_polling plain" || a.Options[0].ID != agent.ResumePlain {
		t.Errorf("the ways are %s, the approval's own begin with %s", got, a.Options[0].ID)
	}
	step := "About 1.8k tokens ($0.0003) a step."
	if got := strings.Join(costs, "|"); got != strings.Join([]string{step, step, step, "", step}, "|") {
		t.Errorf("costs %q", got)
	}
	if hidden := choicesOf(tr, a, true)[0].Cost; hidden != "About 1.8k tokens a step." {
		t.Errorf("without money: %q", hidden)
	}
	for answer, want := range map[string]string{
		"": "Continued", agent.ResumePlain: "Continued", agent.ResumeFinishNow: "Wrapped up",
		agent.ResumeAllowMore: "Allowed more repeats", agent.ResumeAsPolling: "Set to wait for a change",
	} {
		if a.Answer = answer; settledWords(tr, a) != want {
			t.Errorf("%q: %q", answer, settledWords(tr, a))
		}
	}
	if a.Answer, a.Comment = agent.ResumePlain, "Use the archive."; settledWords(tr, a) != "Told to do it differently" {
		t.Errorf("with guidance: %q", settledWords(tr, a))
	}
}
