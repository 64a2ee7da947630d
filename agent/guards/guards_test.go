package guards

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// call is one record in short: tool:args=result; "!" in front marks a blocked
// call, "~" a polling tool. What follows "~" in the arguments is not part of their shape; a
// result that begins with "no such" is an error. The last call is the next one.
func history(calls ...string) *agent.History {
	settings := agent.DefaultGuardSettings()
	trace := agent.NewTrace(agent.Reach(settings, agent.GuardConfig{}, 0), 0)
	for i, text := range calls {
		rec := agent.CallRecord{N: i + 1, Step: i + 1}
		text, rec.Blocked = strings.CutPrefix(text, "!")
		text, rec.Polling = strings.CutPrefix(text, "~")
		what, result, _ := strings.Cut(text, "=")
		rec.Tool, rec.Args, _ = strings.Cut(what, ":")
		rec.Result = result
		rec.Shape, _, _ = strings.Cut(rec.Args, "~")
		rec.Failed = strings.HasPrefix(result, "no such")
		rec.Succeeded = result != "" && !rec.Failed
		if i < len(calls)-1 {
			trace.Add(rec)
			continue
		}
		rec.Result, rec.Failed, rec.Succeeded = "", false, false
		return trace.History(&rec, settings)
	}
	return nil
}

func repeat(n int, calls ...string) []string {
	var out []string
	for i := range n {
		out = append(out, calls[i%len(calls)])
	}
	return out
}

// distinct makes n calls of a tool with arguments or results that differ.
func distinct(n int, format string) []string {
	var out []string
	for i := range n {
		out = append(out, strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return out
}

func worst(h *agent.History) agent.Verdict {
	var w agent.Verdict
	for _, g := range All(agent.DefaultGuardSettings()) {
		if v := g.Check(h); v.Level > w.Level {
			w = v
		}
	}
	return w
}

func TestDetectors(t *testing.T) {
	t.Parallel()
	mixed := append(repeat(6, "a:1=x", "b:2=y"), "a:1")
	for _, tc := range []struct {
		name     string
		calls    []string
		level    agent.Level
		detector string
		count    int
	}{
		{"four are no streak", repeat(4, "a:1=x"), agent.Pass, "", 0},
		{"five warn", repeat(5, "a:1=x"), agent.Warn, "generic_repeat", 5},
		{"eight pause", repeat(8, "a:1=x"), agent.Pause, "generic_repeat", 8},
		{"ten stop", repeat(10, "a:1=x"), agent.Stop, "global_circuit_breaker", 10},
		{"changing results warn only", distinct(30, "a:1=%d"), agent.Warn, "generic_repeat", 30},
		{"forty different files", distinct(40, "read:%d=text"), agent.Pass, "", 0},
		{"same build between edits, results change", interleave(distinct(6, "edit:%d=ok"), distinct(6, "build:x=%d")), agent.Pass, "", 0},
		{"same build between edits, nothing changes", interleave(distinct(8, "edit:%d=ok"), repeat(8, "build:x=same")), agent.Pause, "no_progress", 8},
		{"a poll whose answer changes", distinct(20, "~poll:1=%d"), agent.Pass, "", 0},
		{"a poll whose answer stays", repeat(8, "~poll:1=wait"), agent.Pause, "no_progress", 8},
		{"a blocked call counts and is no progress", append(repeat(7, "a:1=x"), "!a:1", "a:1=x", "a:1"), agent.Stop, "global_circuit_breaker", 10},
		{"ping-pong warns", repeat(5, "a:1=x", "b:2=y"), agent.Warn, "ping_pong", 5},
		{"ping-pong pauses", repeat(8, "a:1=x", "b:2=y"), agent.Pause, "ping_pong", 8},
		{"ping-pong with changing results warns only", interleave(distinct(6, "a:1=%d"), distinct(6, "b:2=%d")), agent.Warn, "ping_pong", 12},
		{"alternation that just began", mixed[:4], agent.Pass, "", 0},
		{"ping-pong that got stuck pauses", append(interleave(distinct(2, "a:1=%d"), distinct(2, "b:2=%d")), repeat(8, "a:1=x", "b:2=y")...), agent.Pause, "ping_pong", 8},
		{"one change in ping-pong restarts the count", append(repeat(7, "a:1=x", "b:2=y"), "b:2=z", "a:1=x", "b:2"), agent.Warn, "ping_pong", 10},
		{"a blocked call in ping-pong counts and is no change", append(repeat(6, "a:1=x", "b:2=y"), "!a:1", "b:2"), agent.Pause, "ping_pong", 8},
		{"a third call ends ping-pong", append(repeat(4, "a:1=x", "b:2=y"), "c:3=z", "a:1=x", "b:2"), agent.Pass, "", 0},
		{"ping-pong of one tool", repeat(8, "a:1=x", "a:2=x"), agent.Pause, "ping_pong", 8},
		{"a poll and a look by turns, the poll changes", interleave(distinct(6, "~poll:1=%d"), distinct(6, "look:2=%d")), agent.Pass, "", 0},
		{"a look and a poll by turns, both change", interleave(distinct(6, "look:2=%d"), distinct(6, "~poll:1=%d")), agent.Pass, "", 0},
		{"a poll in an unbroken row stays no_progress's", repeat(5, "~poll:1=wait"), agent.Warn, "no_progress", 5},
		{"a poll that does not move meets the breaker", repeat(10, "~poll:1=wait"), agent.Stop, "global_circuit_breaker", 10},
		{"the result changed at the newest call", append(repeat(4, "~poll:1=wait"), "~poll:1=done", "~poll:1"), agent.Pass, "", 0},
		{"blocked calls alone make a streak", repeat(8, "!a:1"), agent.Pause, "generic_repeat", 8},
		{"errors are results like any other", repeat(8, "a:1=no such file"), agent.Pause, "generic_repeat", 8},
		{"the same build without edits, results change", distinct(5, "build:x=%d"), agent.Warn, "generic_repeat", 5},
		{"twelve files", distinct(12, "read:%d=text"), agent.Pass, "", 0},
		{"calls at the edge of the window count", around(26, "a:1=x", 3), agent.Warn, "no_progress", 5},
		{"calls beyond the window do not", around(27, "a:1=x", 3), agent.Pass, "", 0},
		{"other calls in between break the row", append(repeat(4, "a:1=x"), "c:3=z", "a:1=q", "a:1"), agent.Pass, "", 0},
	} {
		v := worst(history(tc.calls...))
		if v.Level != tc.level || (tc.detector != "" && (v.Detector != tc.detector || v.Count != tc.count)) {
			t.Errorf("%s: %s %s at %d, want %s %s at %d", tc.name, v.Level, v.Detector, v.Count, tc.level, tc.detector, tc.count)
		}
		if v.Level > agent.Pass && (v.Message == "" || v.Key == "" || len(v.Calls) == 0 || v.Threshold == 0) {
			t.Errorf("%s: the verdict lacks something: %+v", tc.name, v)
		}
	}
}

func interleave(a, b []string) []string {
	var out []string
	for i := range a {
		out = append(out, a[i], b[i])
	}
	return out
}

// around makes one call, n others, and the call again and again, so that the
// streak reaches over all of them.
func around(n int, call string, again int) []string {
	return append(append([]string{call}, distinct(n-1, "z:%d=ok")...), repeat(again+1, call)...)
}

// TestEvidenceNamesTheStreak: the calls of the verdict are the streak, the
// call that is held back last.
func TestEvidenceNamesTheStreak(t *testing.T) {
	t.Parallel()
	v := worst(history(append(distinct(3, "z:%d=ok"), repeat(8, "a:1=x")...)...))
	if got := fmt.Sprint(v.Calls); got != "[4 5 6 7 8 9 10 11]" {
		t.Errorf("calls = %s", got)
	}
}

func TestCeilingCountsTheWholeRun(t *testing.T) {
	t.Parallel()
	h := history(distinct(50, "a:1=%d")...)
	if v := worst(h); v.Level != agent.Stop || v.Count != 50 {
		t.Errorf("verdict = %+v", v)
	}
}

func TestLimitsOfTheRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		h        agent.History
		level    agent.Level
		detector string
		reason   agent.StopReason
	}{
		{"below 80 %", agent.History{Steps: 39, MaxSteps: 50}, agent.Pass, "", ""},
		{"80 % of the steps", agent.History{Steps: 40, MaxSteps: 50}, agent.Warn, "max_steps", agent.StopMaxSteps},
		{"all steps", agent.History{Steps: 50, MaxSteps: 50}, agent.Stop, "max_steps", agent.StopMaxSteps},
		{"80 % of the time", agent.History{Active: 8 * time.Minute, MaxDuration: 10 * time.Minute}, agent.Warn, "max_duration", agent.StopTimeout},
		{"all the time", agent.History{Active: 10 * time.Minute, MaxDuration: 10 * time.Minute}, agent.Stop, "max_duration", agent.StopTimeout},
		{"one failure", agent.History{Failures: 1}, agent.Pass, "", ""},
		{"one failure with its call", failures("edit: no such line"), agent.Pass, "", ""},
		{"two failures", failures("edit: no such line", "edit: no such line"), agent.Warn, "consecutive_errors", agent.StopConsecutiveErrors},
		{"three failures", failures("edit: no such line", "edit: no such line", "edit: no such line"), agent.Pause, "consecutive_errors", agent.StopConsecutiveErrors},
		{"80 % is rounded up, one below", agent.History{Steps: 5, MaxSteps: 7}, agent.Pass, "", ""},
		{"80 % is rounded up", agent.History{Steps: 6, MaxSteps: 7}, agent.Warn, "max_steps", agent.StopMaxSteps},
		{"one step only", agent.History{Steps: 1, MaxSteps: 1}, agent.Stop, "max_steps", agent.StopMaxSteps},
		{"a call is not the run", agent.History{Steps: 50, MaxSteps: 50, Failures: 9, Active: time.Hour, MaxDuration: 1, Next: &agent.CallRecord{N: 1, Tool: "a"}}, agent.Pass, "", ""},
		{"a streak is not the run's", agent.History{Calls: history(repeat(9, "a:1=x")...).Calls}, agent.Pass, "", ""},
		{"no limits", agent.History{Steps: 1000, Active: time.Hour}, agent.Pass, "", ""},
	} {
		if v := worst(&tc.h); v.Level != tc.level || v.Detector != tc.detector || v.Reason != tc.reason {
			t.Errorf("%s: %+v", tc.name, v)
		}
	}
}

// TestLongerStreaksAreNeverMilder: more of the same never lowers the level.
func TestLongerStreaksAreNeverMilder(t *testing.T) {
	t.Parallel()
	for _, kinds := range [][]string{{"a:1=x"}, {"a:1=x", "b:2=y"}, {"~p:1=x"}, {"a:1=x", "b:2=y", "c:3=z"}} {
		last := agent.Pass
		for n := 1; n <= 29; n++ {
			v := worst(history(repeat(n, kinds...)...))
			if v.Level < last {
				t.Errorf("%v: level fell to %s at %d calls", kinds, v.Level, n)
			}
			last = v.Level
		}
	}
}

// TestErrorsNameTheirCalls: the evidence is the failed calls of as many
// answers as failed, all of each.
func TestErrorsNameTheirCalls(t *testing.T) {
	t.Parallel()
	h := &agent.History{Failures: 3, Calls: []agent.CallRecord{
		{N: 1, Step: 1, Tool: "a", Failed: true},
		{N: 2, Step: 2, Tool: "b"},
		{N: 3, Step: 3, Tool: "a", Failed: true},
		{N: 4, Step: 4, Tool: "a", Failed: true},
		{N: 5, Step: 4, Tool: "a", Failed: true},
		{N: 6, Step: 5, Tool: "a", Failed: true, Blocked: true},
		{N: 7, Step: 6, Tool: "a", Failed: true},
	}}
	v := worst(h)
	if got := fmt.Sprint(v.Calls); got != "[3 4 5 7]" || v.Message != "a failed 3 times with the same error." {
		t.Errorf("calls = %s, message %q", got, v.Message)
	}
	h.Calls[6].Words = "no such line: 7"
	if v := worst(h); v.Message != `a failed 3 times with the same error: "no such line: 7".` {
		t.Errorf("message = %q", v.Message)
	}
	h.Calls[6].Tool = "c"
	if v := worst(h); v.Level != agent.Pass {
		t.Errorf("another tool: %+v", v)
	}
}

// TestSwitchedOff: a threshold of 0 never trips.
func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	h := history(repeat(30, "a:1=x")...)
	for _, g := range All(agent.GuardSettings{Window: 30}) {
		run := &agent.History{Failures: 9, Calls: h.Calls}
		if a, b := g.Check(h), g.Check(run); a.Level != agent.Pass || b.Level != agent.Pass {
			t.Errorf("%s trips without a number: %+v %+v", g.Name(), a, b)
		}
	}
}

func TestReminderSaysWhatAndWhatInstead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		h     *agent.History
		tool  string
		wants []string
	}{
		{history(repeat(5, "calculator:1=x")...), "calculator", []string{"calculator", "5 times", "another approach"}},
		{history(repeat(5, "~poll:1=wait")...), "poll", []string{"poll", "5 times", "result did not change", "another approach"}},
		{history(repeat(5, "look:1=x", "turn:2=y")...), "look", []string{"look", "turn", "5 calls", "another approach"}},
		{&agent.History{Steps: 40, MaxSteps: 50}, "", []string{"40 of 50", "10 are left", "an end"}},
		{&agent.History{Active: 8 * time.Minute, MaxDuration: 10 * time.Minute}, "", []string{"8m0s of 10m0s", "2m0s are left", "an end"}},
		{&agent.History{Failures: 2, Calls: []agent.CallRecord{{N: 1, Step: 1, Tool: "look", Failed: true}, {N: 2, Step: 2, Tool: "look", Failed: true}}}, "", []string{"look failed 2 times", "another approach"}},
	} {
		text := Reminder(worst(tc.h), tc.tool, agent.English)
		for _, want := range append(tc.wants, "[System reminder] ") {
			if !strings.Contains(text, want) {
				t.Errorf("%q lacks %q", text, want)
			}
		}
	}
}
