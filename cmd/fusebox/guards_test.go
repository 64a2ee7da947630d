package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/store"
	"fusebox/store/storetest"
)

// explain runs fusebox guards explain on a history.
func explain(t *testing.T, history string, args ...string) (status int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := process{env: []string{"FUSEBOX_DATA=" + t.TempDir()}, stdin: strings.NewReader(history), stdout: &stdout, stderr: &stderr}
	status = p.main(t.Context(), append([]string{"guards", "explain", "-"}, args...))
	return status, stdout.String(), stderr.String()
}

// calls are n lines of one format; every %[1]d in it counts, every %[1]c is a letter.
func calls(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, strings.ReplaceAll(format, "LETTER", string(rune('a'+i%26)))+"\n", i)
	}
	return b.String()
}

func TestExplain(t *testing.T) {
	t.Parallel()
	dead := strings.Repeat(`{"tool":"look","args":{"b":2,"a":1},"result":"same"}`+"\n", 7) + `{"tool":"look","args":{"a":1.0,"b":2}}` + "\n"
	for _, tc := range []struct {
		name    string
		history string
		args    []string
		status  int
		want    []string // of each line, in order
	}{
		{"a dead loop, keys reordered", dead, nil, exitTripped, []string{
			`{"line":5,"level":"warning","detector":"generic_repeat","count":5,`, `{"line":5,"level":"warning","detector":"no_progress","count":5,`,
			`{"line":8,"level":"critical","detector":"generic_repeat","count":8,`, `{"line":8,"level":"critical","detector":"no_progress","count":8,`,
		}},
		{"other numbers", dead, []string{"--set", "guard.critical=20", "--set=breaker=25"}, exitOK, []string{`"generic_repeat"`, `"no_progress"`}},
		{"a new run", strings.ReplaceAll(dead, `{"tool":"look","args":{"a":1.0`, `{"reset":true}`+"\n"+`{"tool":"look","args":{"a":1.0`), nil, exitOK, []string{`"line":5`, `"line":5`}},
		{"the same call twice in each answer", strings.Repeat(`{"turn":true}`+"\n"+strings.Repeat(`{"tool":"look","args":{},"result":"x"}`+"\n", 2), 2), nil, exitOK, nil},
		{"a poll that moves", calls(20, `{"tool":"job","args":{"id":7},"result":"%d percent"}`), []string{"--tool", "job=polling"}, exitOK, nil},
		{"forty files", calls(40, `{"tool":"read_file","args":{"path":"part%d.txt"},"result":"text"}`), nil, exitOK, nil},
		{"a batch that writes", calls(40, `{"tool":"store","args":{"id":%d},"result":"ok"}`), []string{"--tool", "store=write"}, exitOK, nil},
		{"a counter", calls(10, `{"tool":"search","args":{"q":"cats","try":%d},"result":"nothing"}`), nil, exitTripped, []string{`"line":6,"level":"warning","detector":"similar_repeat","count":6`, `"line":10,"level":"critical","detector":"similar_repeat","count":10`}},
		{"tools that do not exist", calls(3, `{"tool":"beam%d","args":{},"error":"unknown tool"}`+"\n"+`{"tool":"look","args":{"x":"LETTER%[1]d"},"result":"r%[1]d"}`), nil, exitOK, []string{`"line":5,"level":"warning","detector":"unknown_tool","count":3`}},
		{"the same answer", strings.Repeat(`{"message":"I am done."}`+"\n", 3), nil, exitTripped, []string{`"line":2,"level":"warning","detector":"repeated_answer"`, `"line":3,"level":"critical","detector":"repeated_answer"`}},
		{"three errors", calls(3, `{"tool":"save","args":{"x":%d},"error":"broken"}`), nil, exitTripped, []string{`"line":2,"level":"warning","detector":"consecutive_errors","count":2`, `"line":3,"level":"critical","detector":"consecutive_errors","count":3`}},
		{"a chant in pieces", strings.Repeat(`{"text":"I will try it once more. "}`+"\n", 40), nil, exitTripped, []string{`"level":"critical","detector":"chanting"`}},
		{"a switched off detector", dead, []string{"--set", "guard.window=30"}, exitTripped, []string{"", "", "", ""}},
		{"nothing", "", nil, exitOK, nil},
	} {
		status, out, said := explain(t, tc.history, tc.args...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if out == "" {
			lines = nil
		}
		if status != tc.status || len(lines) != len(tc.want) {
			t.Errorf("%s: status %d, want %d; it printed\n%s%s", tc.name, status, tc.status, out, said)
			continue
		}
		for i, want := range tc.want {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%s: line %d is %s, want %s", tc.name, i+1, lines[i], want)
			}
		}
	}
}

func TestExplainNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		history string
		args    []string
		want    string
	}{
		{"{\"turn\":true}\n{\"tool\":7}\n", nil, "line 2: is not a JSON object of a history"},
		{"{\"tol\":\"look\"}\n", nil, `line 1: is empty; allowed are {"tool"`},
		{"", []string{"--set", "guard.critical=none"}, `guard.critical: "none" is not allowed; allowed: a whole number from 2 to 1000`},
		{"", []string{"--set", "guard.loudness=1"}, "guard.loudness: is not a guard setting; allowed: guard.window"},
		{"", []string{"--tool", "job=magic"}, `flag --tool: "job=magic" is not allowed`},
		{"", []string{"--set"}, "flag --set needs a value"},
		{"", []string{"another"}, "needs one FILE"},
	} {
		status, out, said := explain(t, tc.history, tc.args...)
		if status != exitUsage || out != "" || !strings.Contains(said, tc.want) {
			t.Errorf("%q %v: status %d, printed %q, said %q", tc.history, tc.args, status, out, said)
		}
	}
}

// TestBacktest: past runs are shown to other numbers; nothing of them changes.
func TestBacktest(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	db, err := store.Open(t.Context(), store.Options{
		Path: storetest.Migrated(t, filepath.Join(data, "fusebox.db")), Clock: agent.SystemClock{}, NewID: newID, Logger: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	pastRun(t, db, "six", 6)
	pastRun(t, db, "nine", 9)
	must(t, db.Close())

	backtest := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		p := process{env: []string{"FUSEBOX_DATA=" + data}, stdout: &stdout, stderr: &stderr}
		status := p.main(t.Context(), append([]string{"guards", "backtest"}, args...))
		return status, stdout.String(), stderr.String()
	}
	status, out, said := backtest("--set", "guard.critical=6")
	if status != exitOK || strings.Count(out, "\n") != 1 || !strings.Contains(out, `{"change":"new","runId":"run six"`) ||
		!strings.Contains(out, `"step":6,"level":"critical","detector":"generic_repeat","count":6`) ||
		!strings.Contains(said, "2 runs with 15 calls: 1 would newly trip, 0 would no longer trip, 1 unchanged") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	_, out, said = backtest("--rule", `{"tool":"look","warning":20,"critical":25}`)
	if !strings.Contains(out, `{"change":"gone","runId":"run nine"`) || !strings.Contains(said, "0 would newly trip, 1 would no longer trip") {
		t.Errorf("%s%s", out, said)
	}
	_, _, said = backtest("--to", "2020-01-01", "--from", "2019-01-01")
	if !strings.Contains(said, "0 runs with 0 calls") {
		t.Errorf("a span without runs: %s", said)
	}
	if status, _, said = backtest("--from", "yesterday"); status != exitUsage || !strings.Contains(said, `flag --from: "yesterday" is not a date; allowed: YYYY-MM-DD`) {
		t.Errorf("status %d: %s", status, said)
	}
}

// pastRun stores a run that made the same call n times, one in each step.
func pastRun(t testing.TB, db *store.Store, name string, n int) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	must(t, db.CreateUser(ctx, agent.User{ID: "user " + name, Email: name + "@example.org", Role: agent.RoleUser, CreatedAt: now}, "x"))
	must(t, db.CreateConversation(ctx, agent.Conversation{ID: "conv " + name, OwnerID: "user " + name, Title: name, CreatedAt: now, UpdatedAt: now}))
	runID := "run " + name
	_, err := db.Enqueue(ctx, agent.NewMessage{ConversationID: "conv " + name, UserID: "user " + name, MessageID: "m " + name, RunID: runID, Content: "go"})
	must(t, err)
	run, err := db.Claim(ctx, "test", time.Minute)
	must(t, err)
	for i := range n {
		id := fmt.Sprintf("%s %02d", name, i)
		call := agent.ToolCall{
			ID: id, RunID: runID, ConversationID: "conv " + name, MessageID: id, Step: i + 1, Name: "look", Args: `{}`, State: agent.CallValidating,
		}
		done := call
		done.State, done.Result = agent.CallError, "no"
		_, err := db.Append(ctx, agent.Change{
			ConversationID: "conv " + name, RunID: runID, Epoch: run.Epoch,
			Messages: []agent.Message{{ID: id, ConversationID: "conv " + name, Role: agent.FromAssistant, RunID: runID, ToolCalls: []agent.CallRequest{{ID: id, Name: "look", Arguments: `{}`}}, CreatedAt: now}},
			Calls:    []agent.CallChange{{Event: agent.CallAsked, Call: call}, {From: agent.CallValidating, Event: agent.CallRefused, Call: succeeded(done)}},
		})
		must(t, err)
	}
}

// succeeded is how the result of a call that a person answered looks: no
// detector of failures speaks of it.
func succeeded(c agent.ToolCall) agent.ToolCall {
	c.ErrorType = agent.ErrRejected
	return c
}

// BenchmarkBacktest10k replays 10,000 calls of a database under other numbers.
func BenchmarkBacktest10k(b *testing.B) {
	db, err := store.Open(b.Context(), store.Options{
		Path: filepath.Join(b.TempDir(), "f.db"), Clock: agent.SystemClock{}, NewID: newID, Logger: slog.New(slog.DiscardHandler),
	})
	must(b, err)
	defer func() { must(b, db.Close()) }()
	for i := range 250 {
		pastRun(b, db, fmt.Sprint(i), 40)
	}
	q := agent.BacktestQuery{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour), Numbers: map[string]string{"guard.critical": "6"}}
	for b.Loop() {
		began := time.Now()
		r, err := backtester(db, agent.DefaultGuardSettings(), func() []agent.ToolSpec { return nil })(b.Context(), q)
		must(b, err)
		if r.Calls != 10_000 || r.Still != 250 {
			b.Fatalf("%+v", r)
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/10k-calls")
	}
}
