package guards

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
)

// failures is a run of answers with one call each, as "tool: error" or "tool=result".
// The arguments are all different.
func failures(texts ...string) agent.History {
	r := NewReplay(agent.DefaultGuardSettings(), agent.GuardConfig{}, anyTool, 0)
	for i, text := range texts {
		r.Turn()
		r.Call(called(i, text))
	}
	return *r.trace.History(nil, r.settings)
}

// called is the i-th call in short; "tool{ARGS}" has arguments of its own.
func called(i int, text string) agent.ToolCall {
	c := agent.ToolCall{State: agent.CallSuccess, Args: fmt.Sprintf(`{"text":"attempt %s"}`, strings.Repeat("x", i+1))}
	at := strings.IndexAny(text, ":={")
	c.Name = text[:at]
	if text[at] == '{' {
		end := strings.LastIndex(text, "}")
		c.Args, at = text[at:end+1], end+1
	}
	if text[at] == ':' {
		c.State, c.ErrorType = agent.CallError, agent.ErrExecution
	}
	c.Result = strings.TrimSpace(text[at+1:])
	return c
}

// insist is a run that makes a failing call n times, hardly changed, with another between.
func insist(n int, between string) (calls []string) {
	for i := range n {
		text := fmt.Sprintf("func (t *tree) walk(visit func(*node)) { for n := t.first; n != nil; n = n.next { visit(n) } } // attempt %d", i)
		calls = append(calls, `edit{"path":"tree.go","lines":"10:20","text":"`+text+`"}: E999 unexpected indent`, strings.ReplaceAll(between, "%d", fmt.Sprint(i)))
	}
	return calls[:len(calls)-1]
}

// TestFailuresInARow: what pauses is the same failure again and again, not somebody who
// is still trying.
func TestFailuresInARow(t *testing.T) {
	t.Parallel()
	tried := func(command, program string) string {
		return fmt.Sprintf(`sh{"command":"%s"}: /bin/sh: 1: %s: not found`+"\nexit code 127", command, program)
	}
	asked := func(command string) string { return `sh{"command":"` + command + `"}: exit code 1` }
	for _, tc := range []struct {
		name  string
		calls []string
		level agent.Level
		count int
	}{
		{"the same error, whatever was tried", []string{"edit: E999 unexpected indent", "edit: E999 unexpected indent", "edit: E999 unexpected indent"}, agent.Pause, 3},
		{"the same but for a path and a number", []string{"open: /a/b.txt:7: no such line", "open: /c/d.txt:19: no such line", "open: /e:1: no such line"}, agent.Pause, 3},
		{"three errors that differ", []string{"edit: E999 unexpected indent", "edit: F821 undefined name", "edit: E999 invalid syntax"}, agent.Pass, 0},
		{"five that differ", []string{"a: no such table", "a: no such column", "a: denied", "a: timed out", "a: cannot parse"}, agent.Warn, 5},
		{"six that differ", []string{"a: no such table", "a: no such column", "a: denied", "a: timed out", "a: cannot parse", "a: invalid name"}, agent.Pause, 6},
		{"one error of two tools", []string{"a: denied", "b: denied", "a: denied"}, agent.Pass, 0},
		{"a success between", []string{"a: denied", "a: denied", "b=text", "a: denied"}, agent.Pass, 0},
		{"a look at what is known between", []string{`b{"n":1}=text`, "a: denied", "a: denied", `b{"n":1}=text`, "a: denied"}, agent.Pause, 3},
		{"programs that are not installed, one after the other", []string{tried("yum", "yum"), tried("dnf", "dnf"), tried("apk", "apk"), tried("pacman", "pacman"), tried("brew", "brew"), tried("emerge", "emerge"), tried("zypper", "zypper")}, agent.Pass, 0},
		{"one that is not installed, again and again", []string{tried("yum", "yum"), tried("yum list", "yum"), tried("yum search", "yum"), tried("yum info", "yum")}, agent.Pause, 3},
		{"no line matches", []string{asked("grep a f"), asked("cat f | grep b"), asked("diff a b"), asked("cmp a b"), asked("test -f x"), asked("[ -f y ]"), asked("/usr/bin/grep c f")}, agent.Pass, 0},
		{"the same question again and again", []string{asked("grep a f"), asked("grep a f"), asked("grep a f"), asked("grep a f")}, agent.Pause, 3},
		{"another program that fails with 1", []string{asked("make a"), asked("make b"), asked("make c")}, agent.Pause, 3},
		{"the indentation corrected at the third try", []string{`edit{"text":"a"}: E999 indent`, `edit{"text":"b c"}: E999 indent`, `edit{"text":"b  c"}: E999 indent`}, agent.Warn, 3},
		{"corrected, and again", []string{`edit{"text":"a"}: E999 indent`, `edit{"text":"b c"}: E999 indent`, `edit{"text":"b  c"}: E999 indent`, `edit{"text":"b   c"}: E999 indent`}, agent.Pause, 4},
		{"three guesses at three files", []string{
			`sh{"command":"cat /etc/app/main.conf"}: cat: /etc/app/main.conf: No such file or directory`,
			`sh{"command":"cd /opt && cat app/settings.toml | head -20"}: cat: app/settings.toml: No such file or directory`,
			`sh{"command":"cat ~/.config/app.yaml ~/.app.yaml"}: cat: /root/.config/app.yaml: No such file or directory`,
		}, agent.Pass, 0},
		{"three programs that only say that they failed", []string{
			`sh{"command":"make all"}: exit code 1`, `sh{"command":"python3 setup.py build --verbose"}: exit code 1`, `sh{"command":"./configure && ninja -C out"}: exit code 1`,
		}, agent.Pass, 0},
		{"one program that only says so, little changed", []string{
			`sh{"command":"./configure --with-ssl --prefix=/usr"}: exit code 1`, `sh{"command":"./configure --with-ssl --prefix=/opt"}: exit code 1`, `sh{"command":"./configure --with-tls --prefix=/opt"}: exit code 1`,
		}, agent.Pause, 3},
		{"hardly changed, with looks between", insist(4, "look=text %d"), agent.Pause, 4},
		{"hardly changed, three times", insist(3, "look=text %d"), agent.Pass, 0},
		{"not corrected at all", []string{`edit{"text":"a"}: E999 indent`, `edit{"text":"b"}: E999 indent`, `edit{"text":"b"}: E999 indent`}, agent.Pause, 3},
	} {
		h := failures(tc.calls...)
		v := consecutiveErrors{same: 3}.Check(&h)
		if v.Level != tc.level || v.Count != tc.count {
			t.Errorf("%s: %s at %d, want %s at %d", tc.name, v.Level, v.Count, tc.level, tc.count)
		}
	}
}

// TestFailuresPauseAgain: who lets a failing run continue is asked again after as many more.
func TestFailuresPauseAgain(t *testing.T) {
	t.Parallel()
	r := NewReplay(agent.DefaultGuardSettings(), agent.GuardConfig{}, anyTool, 0)
	var paused []int
	for i := range 10 {
		r.Call(called(i, "a: denied"))
		for _, v := range r.Turn() {
			if v.Level == agent.Pause && v.Detector == "consecutive_errors" {
				paused = append(paused, v.Count)
			}
		}
	}
	if fmt.Sprint(paused) != "[3 6 9]" {
		t.Errorf("paused at %v", paused)
	}
}

// TestNothingNew: a run that goes over what it knows in any order, and work that looks like it.
func TestNothingNew(t *testing.T) {
	t.Parallel()
	look := []string{"a:1=x", "b:2=y", "c:3=z", "d:4=w"}
	for _, tc := range []struct {
		name  string
		calls []string
		level agent.Level
		count int
	}{
		{"three known ones", append(look, "c:3=z", "a:1=x", "b:2"), agent.Pass, 0},
		{"four known ones", append(look, "c:3=z", "a:1=x", "d:4=w", "b:2"), agent.Warn, 4},
		{"six in no order", append(look, "c:3=z", "a:1=x", "d:4=w", "d:4=w", "b:2=y", "a:1"), agent.Pause, 6},
		{"a new result between", append(look, "c:3=z", "a:1=x", "d:4=new", "d:4=new", "b:2=y", "a:1"), agent.Pass, 0},
		{"a new call between", append(look, "c:3=z", "a:1=x", "e:5=v", "d:4=w", "b:2=y", "a:1"), agent.Pass, 0},
		{"the next call is new", append(look, "c:3=z", "a:1=x", "d:4=w", "d:4=w", "b:2=y", "f:1"), agent.Pass, 0},
		{"polling in between is neither", append(look, "c:3=z", "~p:1=wait", "a:1=x", "~p:1=wait", "d:4=w", "b:2"), agent.Warn, 4},
		{"polling alone", append(look, repeat(8, "~p:1=wait", "~q:1=wait")...), agent.Pass, 0},
		{"one call alone is no_progress's", append(look, repeat(7, "a:1=x")...), agent.Pass, 0},
		{"the lines in another order are the same", append(look, "c:3=z", "a:1=x", "d:4=w", "b:2"), agent.Warn, 4},
		{"blocked calls go on with it", append(look, "c:3=z", "!a:1", "!d:4", "!d:4", "!b:2", "a:1"), agent.Pause, 6},
	} {
		v := nothingNew{warn: 4, pause: 6}.Check(history(tc.calls...))
		if v.Level != tc.level || v.Count != tc.count {
			t.Errorf("%s: %s at %d, want %s at %d", tc.name, v.Level, v.Count, tc.level, tc.count)
		}
	}
}

// TestCallsOfOneAnswer: calls that have not run yet have no result to compare, so ten
// different ones in one answer are not a lack of progress.
func TestCallsOfOneAnswer(t *testing.T) {
	t.Parallel()
	next := agent.CallRecord{N: 12, Step: 2, Tool: "add", Args: "12", Shape: "s"}
	h := &agent.History{Window: 30, Next: &next, SameInRun: 1}
	for n := 1; n < 12; n++ {
		h.Calls = append(h.Calls, agent.CallRecord{N: n, Step: 2, Tool: "add", Args: fmt.Sprint(n), Shape: "s"})
	}
	if v := worst(h); v.Level != agent.Pass {
		t.Errorf("eleven that wait: %s %s", v.Level, v.Detector)
	}
	for i := range h.Calls {
		h.Calls[i].Step, h.Calls[i].Result, h.Calls[i].Succeeded = 1, "same", true
	}
	if v := worst(h); v.Level != agent.Pause || v.Detector != "similar_repeat" {
		t.Errorf("eleven that gave the same: %s %s", v.Level, v.Detector)
	}
}
