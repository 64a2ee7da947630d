package tools

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/fingerprint"
	"fusebox/agent/sandbox"
	"fusebox/agent/tools/web"
)

// kit is a registry over a data folder of its own, with the sample weather.
func kit(t *testing.T, more ...Tool) (*Registry, string) {
	t.Helper()
	dir := t.TempDir()
	srv := httptest.NewServer(SampleWeather())
	t.Cleanup(srv.Close)
	search, err := web.New(web.Options{Provider: web.Demo, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		Web: search, DataDir: dir, Sandbox: box(t, dir), HTTPClient: srv.Client(), ForecastURL: srv.URL, GeocodingURL: srv.URL,
		Timeout: agenttest.Hang, OutputLimit: 3000, Memory: remembered{}, Documents: library{}, Notes: library{}, Logger: slog.New(slog.DiscardHandler),
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(more) > 0 {
		if refused := r.Replace("test", more); len(refused) > 0 {
			t.Fatal(refused)
		}
	}
	return r, dir
}

// box is a sandbox with the walls that this machine allows.
func box(t *testing.T, dir string) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(sandbox.Options{Mode: sandbox.Auto, Data: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(ctx context.Context, r *Registry, name string, args map[string]any) agent.ToolResult {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return r.Execute(ctx, name, agent.ToolInput{RunID: "r1", ConversationID: "c1", CallID: "k1", Args: raw})
}

// odd is a tool with a mind of its own.
type odd struct {
	name    string
	do      func(context.Context) agent.ToolResult
	timeout time.Duration
}

func (o odd) Spec() agent.ToolSpec {
	s := builtin(o.name, "odd", `{"type":"object"}`)
	s.Timeout = o.timeout
	return s
}

func (o odd) Run(ctx context.Context, _ agent.ToolInput) agent.ToolResult { return o.do(ctx) }

// TestExecuteBoundsEveryTool: whatever a tool does, its call has a result in time.
func TestExecuteBoundsEveryTool(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	r, dir := kit(t,
		odd{name: "deaf", timeout: time.Millisecond, do: func(context.Context) agent.ToolResult { <-release; return agent.ToolResult{Content: "late"} }},
		odd{name: "panics", do: func(context.Context) agent.ToolResult { panic("secret inside") }},
		odd{name: "long", do: func(context.Context) agent.ToolResult {
			return agent.ToolResult{Content: strings.Repeat("é", 4000) + "\xff"}
		}},
	)
	for name, want := range map[string]agent.ErrorType{"deaf": agent.ErrTimeout, "panics": agent.ErrUnhandledPanic, "none": agent.ErrNotRegistered} {
		if res := run(t.Context(), r, name, nil); res.ErrorType != want || strings.Contains(res.Content, "secret") {
			t.Errorf("%s: %+v", name, res)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res := run(ctx, r, "deaf", nil); res.ErrorType != agent.ErrCancelled {
		t.Errorf("cancelled: %+v", res)
	}
	res := r.Execute(t.Context(), "long", agent.ToolInput{ConversationID: "c1", RunID: "../r", CallID: "a/../../b", Args: json.RawMessage(`{}`)})
	if !res.Truncated || !strings.Contains(res.Content, "left out") || strings.ToValidUTF8(res.Content, "") != res.Content {
		t.Errorf("long: %d bytes, truncated %v", len(res.Content), res.Truncated)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "outputs", "c1", "___r~*", "a_______b~*.txt"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept as %v, %v", kept, err)
	}
}

// TestOutputsDoNotCollide: ids that a model's server has chosen, however alike, have
// files of their own, and a name that any file system takes.
func TestOutputsDoNotCollide(t *testing.T) {
	t.Parallel()
	r, dir := kit(t, odd{name: "long", do: func(context.Context) agent.ToolResult {
		return agent.ToolResult{Content: strings.Repeat("long ", 1000)}
	}})
	long := strings.Repeat("x", 5000)
	ids := []string{"a/b", "a_b", "a.b", "a b", "a_b~1", "", "_", "..", long, long + "y", strings.Repeat("x", 100)}
	for _, id := range ids {
		if res := r.Execute(t.Context(), "long", agent.ToolInput{ConversationID: "c1", RunID: "r1", CallID: id, Args: json.RawMessage(`{}`)}); !res.Truncated {
			t.Fatalf("%q: %+v", id, res)
		}
	}
	kept, err := os.ReadDir(filepath.Join(dir, "outputs", "c1", "r1"))
	if err != nil || len(kept) != len(ids) {
		t.Errorf("%d calls have left %d files, %v", len(ids), len(kept), err)
	}
}

func TestTerminate(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	res := run(t.Context(), r, "terminate", map[string]any{"status": "failure", "message": "no way"})
	if res.Terminate == nil || res.Terminate.Success || res.Terminate.Message != "no way" {
		t.Errorf("%+v", res)
	}
}

func TestRemoveFiles(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "a.txt", "content": "x"})
	run(t.Context(), r, "run_shell", map[string]any{"command": "head -c 9000 /dev/zero | tr '\\0' x"})
	for range 2 { // the second time there is nothing to remove
		if err := r.RemoveFiles("c1"); err != nil {
			t.Fatal(err)
		}
	}
	for _, gone := range []string{"workspaces/c1", "outputs/c1"} {
		if _, err := os.Stat(filepath.Join(dir, gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
}

// TestRemoveDeepFiles: neither the descriptors of a process nor the length of a path end
// a removal. A link's target stays.
func TestRemoveDeepFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	at, err := os.OpenRoot(dir)
	for _, name := range append([]string{"workspaces", "c1"}, slices.Repeat([]string{strings.Repeat("d", 50)}, 1500)...) {
		if err != nil {
			t.Fatal(err)
		}
		err = at.Mkdir(name, 0o700)
		next, openErr := at.OpenRoot(name)
		err = errors.Join(err, openErr, at.Symlink(kept, "link"), at.Close())
		at = next
	}
	if err := errors.Join(err, at.Close(), (Files{DataDir: dir}).RemoveFiles("c1")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "workspaces", "c1")); err == nil {
		t.Error("the files are still there")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// TestALateToolIsNotHeard: a tool that ignores its end has neither result nor output once
// its call has its result, which it has within 200 ms, with what was shown until then.
func TestALateToolIsNotHeard(t *testing.T) {
	t.Parallel()
	r, _ := kit(t, late{})
	synctest.Test(t, func(t *testing.T) {
		begun, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
		r.Replace("test", []Tool{late{begun, release, done}})
		ctx, cancel := context.WithCancel(t.Context())
		var seen atomic.Int32
		result := make(chan agent.ToolResult, 1)
		go func() {
			result <- r.Execute(ctx, "late", agent.ToolInput{Args: json.RawMessage(`{}`), Progress: func(string) { seen.Add(1) }})
		}()
		<-begun
		at := time.Now() // of the bubble's clock, which a busy machine does not hold up
		cancel()
		res := <-result
		if took := time.Since(at); took > 200*time.Millisecond || res.ErrorType != agent.ErrCancelled || !strings.Contains(res.Content, "half done") {
			t.Errorf("after %s: %+v", took, res)
		}
		close(release)
		<-done
		if seen.Load() != 1 {
			t.Error("output after the result")
		}
	})
}

// late is a tool that comes back when it is released, whatever its context says.
type late struct{ begun, release, done chan struct{} }

func (late) Spec() agent.ToolSpec { return builtin("late", "late", `{"type":"object"}`) }

func (l late) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	in.Progress("half done")
	close(l.begun)
	<-l.release
	in.Progress("too late")
	close(l.done)
	return agent.ToolResult{Content: "too late"}
}

func TestNewWantsAllItNeeds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := Config{DataDir: dir, Sandbox: box(t, dir), HTTPClient: http.DefaultClient, Timeout: time.Second, OutputLimit: 1, Logger: slog.New(slog.DiscardHandler)}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Config){
		"folder": func(c *Config) { c.DataDir = "" }, "sandbox": func(c *Config) { c.Sandbox = nil }, "client": func(c *Config) { c.HTTPClient = nil }, "logger": func(c *Config) { c.Logger = nil },
		"time": func(c *Config) { c.Timeout = 0 }, "limit": func(c *Config) { c.OutputLimit = 0 },
	} {
		c := good
		spoil(&c)
		if _, err := New(c); err == nil {
			t.Errorf("without %s", name)
		}
	}
}

// TestDeliveringAndPlanning: what the two tools for the run itself hand on.
func TestDeliveringAndPlanning(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	res := run(t.Context(), r, "emit_value", map[string]any{"name": "days", "value": []int{1, 2}})
	if res.ErrorType != "" || res.Emit == nil || res.Emit.Name != "days" || string(res.Emit.Value) != "[1,2]" {
		t.Errorf("emit_value: %+v", res)
	}
	plan := map[string]any{"plan": []map[string]string{{"step": "look", "status": "completed"}, {"step": "act", "status": "not_started"}}}
	if res := run(t.Context(), r, "update_plan", plan); res.Content != "The plan is noted: 1 of 2 steps are completed." || len(res.Plan) != 2 || res.Plan[1].Step != "act" {
		t.Errorf("update_plan: %+v", res)
	}
	spec, _ := r.Lookup("update_plan")
	one := fingerprint.Args(`{"plan":[{"step":"look","status":"not_started"}]}`, spec.Identity)
	two := fingerprint.Args(`{"plan":[{"status":"not_started","step":"have a look"}]}`, spec.Identity)
	if one != two || one == fingerprint.Args(`{"plan":[{"step":"look","status":"completed"}]}`, spec.Identity) {
		t.Error("a plan is not known by its statuses")
	}
	if len(Builtin()) != len(r.Specs()) {
		t.Error("the two lists of built-in tools differ")
	}
}
