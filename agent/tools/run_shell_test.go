package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

func TestShell(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	r, dir := kit(t)
	for _, tc := range []struct {
		command string
		kind    agent.ErrorType
		has     []string
	}{
		{"echo out; echo err >&2", "", []string{"out\n", "err\n", "exit code 0"}},
		{"exit 3", agent.ErrShell, []string{"exit code 3"}},
		{"echo $OPENAI_API_KEY; env", "", []string{"HOME=" + filepath.Join(dir, "workspaces", "c1"), "TERM=dumb"}},
		{"pwd; cat", "", []string{"workspaces/c1", "exit code 0"}}, // there is no input to wait for
	} {
		res := run(t.Context(), r, "run_shell", map[string]any{"command": tc.command})
		if res.ErrorType != tc.kind || strings.Contains(res.Content, "sk-secret") {
			t.Errorf("%s: %+v", tc.command, res)
		}
		for _, text := range tc.has {
			if !strings.Contains(res.Content, text) {
				t.Errorf("%s: lacks %q: %s", tc.command, text, res.Content)
			}
		}
	}
}

// TestShellEndsWithItsChildren: cancelling ends the whole group, also where a grandchild
// ignores signals and holds the output open. The clock stands still, so that the call is
// not given up before that.
func TestShellEndsWithItsChildren(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	r.clock = agenttest.NewClock()
	ctx, cancel := context.WithCancel(t.Context())
	started, beat := make(chan struct{}), oneSleep()
	var once sync.Once
	done := make(chan agent.ToolResult, 1)
	go func() {
		done <- r.Execute(ctx, "run_shell", agent.ToolInput{
			RunID: "r1", ConversationID: "c1", CallID: "k1",
			Args: json.RawMessage(`{"command":"(trap '' TERM HUP INT; while :; do sleep ` + beat + `; done) & echo begun; wait"}`),
			Progress: func(said string) { // also says that it still runs, before there is output
				if strings.Contains(said, "begun") {
					once.Do(func() { close(started) })
				}
			},
		})
	}()
	agenttest.Receive(t, "the beginning of a command", started)
	cancel()
	res := agenttest.Receive(t, "the end of a command", done)
	if res.ErrorType != agent.ErrCancelled || !strings.Contains(res.Content, "begun") {
		t.Errorf("result: %+v", res)
	}
	if runs(t, beat) {
		t.Error("a grandchild lives on")
	}
}

func TestLongOutputIsKept(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	res := run(t.Context(), r, "run_shell", map[string]any{"command": "i=0; while [ $i -lt 2000 ]; do echo line-$i; i=$((i+1)); done"})
	if !res.Truncated || len(res.Content) > 3400 || !strings.Contains(res.Content, "line-0\n") || !strings.Contains(res.Content, "line-1999") || !strings.Contains(res.Content, "outputs/c1/r1/k1.txt") {
		t.Errorf("truncated %v, %d bytes: %.200s", res.Truncated, len(res.Content), res.Content)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "outputs", "c1", "r1", "k1.txt"))
	if err != nil || strings.Count(string(whole), "\n") != 2000 {
		t.Errorf("the file has %d lines, %v", strings.Count(string(whole), "\n"), err)
	}
}

// TestEndlessOutputIsBounded: in its file, in the result and in what is shown.
func TestEndlessOutputIsBounded(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	shown := 0
	res := r.Execute(t.Context(), "run_shell", agent.ToolInput{
		RunID: "r1", ConversationID: "c1", CallID: "k1", Progress: func(chunk string) { shown += len(chunk) },
		Args: json.RawMessage(`{"command":"head -c 9000000 /dev/zero | tr '\\\\0' x"}`),
	})
	if !res.Truncated || len(res.Content) > 3400 || !strings.Contains(res.Content, "the first 8388608 are kept") || shown == 0 || shown > maxProgress {
		t.Errorf("%d bytes, %d shown: %.100s", len(res.Content), shown, res.ErrorType)
	}
	info, err := os.Stat(filepath.Join(dir, "outputs", "c1", "r1", "k1.txt"))
	if err != nil || info.Size() != maxSpool || info.Mode().Perm() != 0o600 {
		t.Errorf("file: %v %v", info, err)
	}
}

// TestShellLeavesNothingBehind: what a command starts in the background ends
// with it, and does not hold up its result.
func TestShellLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	seconds := []string{oneSleep(), oneSleep(), oneSleep()}
	res := run(t.Context(), r, "run_shell", map[string]any{"command": fmt.Sprintf(
		"sleep %s & sleep %s >/dev/null 2>&1 & setsid -f sleep %s; until [ $(pgrep -xfc 'sleep (%s)') = 3 ]; do :; done; echo done",
		seconds[0], seconds[1], seconds[2], strings.Join(seconds, "|"))})
	if res.Content != "done\nexit code 0" {
		t.Errorf("%+v", res)
	}
	for _, s := range seconds {
		if runs(t, s) {
			t.Errorf("sleep %s lives on", s)
		}
	}
}

// sleeps counts the sleeps of commands.
var sleeps atomic.Int64

// oneSleep is a time in seconds that nothing else sleeps for, and no test waits for.
func oneSleep() string { return fmt.Sprintf("%d.0%d", 1000+sleeps.Add(1), os.Getpid()) }

// runs reports whether there is a process with a text in its command line: a command knows
// its processes by other numbers.
func runs(t *testing.T, text string) bool {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(lines, func(name string) bool {
		line, err := os.ReadFile(name) // it may be gone
		return err == nil && strings.Contains(string(line), text)
	})
}

func TestShellTimeLimit(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	clock := agenttest.NewClock()
	r.clock = clock
	res := r.Execute(t.Context(), "run_shell", agent.ToolInput{
		RunID: "r1", ConversationID: "c1", CallID: "k1", Args: json.RawMessage(`{"command":"echo begun; sleep ` + oneSleep() + `"}`),
		Progress: func(said string) {
			if strings.Contains(said, "begun") {
				clock.Advance(r.timeout)
			}
		},
	})
	if res.ErrorType != agent.ErrTimeout || !strings.Contains(res.Content, "begun") || !strings.Contains(res.Content, "killed") {
		t.Errorf("%+v", res)
	}
	if res := run(t.Context(), r, "run_shell", map[string]any{"command": "kill -9 $$"}); !strings.HasSuffix(res.Content, "exit code 137") {
		t.Errorf("ended by a signal: %+v", res)
	}
}

// TestShellShowsItsLastWords: output that came right after other output is
// shown while the command is silent, not only when it ends.
func TestShellShowsItsLastWords(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	ctx, cancel := context.WithCancel(agenttest.Context(t))
	defer cancel()
	var seen strings.Builder
	res := r.Execute(ctx, "run_shell", agent.ToolInput{
		RunID: "r1", ConversationID: "c1", CallID: "k1", Args: json.RawMessage(`{"command":"echo one; echo two; sleep ` + oneSleep() + `"}`),
		Progress: func(chunk string) {
			seen.WriteString(chunk)
			if strings.Contains(seen.String(), "two") {
				cancel()
			}
		},
	})
	if res.ErrorType != agent.ErrCancelled || !errors.Is(context.Cause(ctx), context.Canceled) {
		t.Errorf("%+v, %v, seen %q", res, context.Cause(ctx), seen.String())
	}
}

// TestHomeIsAbsolute: the data folder is ./data where nobody says otherwise.
func TestHomeIsAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	r, err := New(Config{DataDir: "data", Sandbox: box(t, "."), HTTPClient: http.DefaultClient, Timeout: agenttest.Hang, OutputLimit: 1000, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if res := run(t.Context(), r, "run_shell", map[string]any{"command": `cd "$HOME" && echo ok`}); res.ErrorType != "" {
		t.Errorf("%+v", res)
	}
}
