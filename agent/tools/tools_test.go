package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
)

// kit is a registry over a data folder of its own, with the sample weather.
func kit(t *testing.T, more ...Tool) (*Registry, string) {
	t.Helper()
	dir := t.TempDir()
	srv := httptest.NewServer(SampleWeather())
	t.Cleanup(srv.Close)
	c := Config{
		DataDir: dir, HTTPClient: srv.Client(), ForecastURL: srv.URL, GeocodingURL: srv.URL,
		Timeout: 20 * time.Second, OutputLimit: 3000, Logger: slog.New(slog.DiscardHandler),
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(more) > 0 {
		if r, err = newRegistry(c, r.outputs, append(r.tools, more...)...); err != nil {
			t.Fatal(err)
		}
	}
	return r, dir
}

func run(ctx context.Context, r *Registry, name string, args map[string]any) agent.ToolResult {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return r.Execute(ctx, name, agent.ToolInput{RunID: "r1", ConversationID: "c1", CallID: "k1", Args: raw})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	for _, tc := range []struct {
		name, tool, args string
		code             agent.Code
		says             string
	}{
		{"good", "calculator", `{"expression":"1"}`, "", ""},
		{"nothing is an empty object", "list_files", "", "", ""},
		{"null is an empty object", "list_files", " null ", "", ""},
		{"missing", "calculator", "", agent.Invalid, "expression"},
		{"broken", "calculator", `{"expression":`, agent.Invalid, "byte"},
		{"two objects", "calculator", `{"expression":"1"} {}`, agent.Invalid, "JSON"},
		{"wrong type", "calculator", `{"expression":7}`, agent.Invalid, "expression"},
		{"a field too many", "calculator", `{"expression":"1","sudo":true}`, agent.Invalid, "sudo"},
		{"not an object", "calculator", `[1]`, agent.Invalid, "arguments"},
		{"not one of the values", "terminate", `{"status":"maybe"}`, agent.Invalid, "success"},
		{"unknown tool", "teleport", `{}`, agent.NotFound, "calculator"},
	} {
		_, err := r.Validate(tc.tool, tc.args)
		if agent.CodeOf(err) != tc.code {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		var e *agent.Error
		if errors.As(err, &e) && !strings.Contains(fmt.Sprint(e.Message, e.Fields), tc.says) {
			t.Errorf("%s: %v %v does not say %q", tc.name, e.Message, e.Fields, tc.says)
		}
	}
}

func TestCalculator(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	for expression, want := range map[string]string{
		"12*(3+4)": "84", "2^10": "1024", "2**3": "8", "7/2": "3.5", "7 % 4": "3", "-3+1": "-2", "sqrt(2)^2": "2.0000000000000004",
		"0.1+0.2": "0.30000000000000004", "max(3, 5)": "5", "round(2.6)": "3", "12×（3＋4）": "", "3÷2": "1.5", "pi": "3.141592653589793",
		"9007199254740993+0": "9007199254740993", "2^64": "18446744073709551616", "2^-1": "0.5", "6/3": "2", "-7 % 3": "-1", "7.5 % 2": "1.5", "-2^2": "-4", "min(3, 1, 2)": "1", "abs(-5)": "5", "-(2)": "-2", "1 + -1.5": "-0.5", "e": "2.718281828459045", "log10(1000)": "3", "pow(2, 3)": "8", "9999999999*9999999999": "99999999980000000001", "1e3": "1000",
		"1/0": "", "0/0": "", "sqrt(-1)": "", "1 == 1": "", `"a"+"b"`: "", "[1,2,3]": "", "1..1000000000": "", "nope(1)": "", "x": "", "": "",
		"10^400": "1" + strings.Repeat("0", 400), "10.0^400": "", "2^9999999999": "", "(2^4000)^4000": "", "1%0": "", "mod(1,0)": "", "sqrt": "", "sqrt+1": "", "sqrt()": "", "pi.x": "", "nil": "", "true": "", "$env": "", "1 ? 2 : 3": "", strings.Repeat("(", 400) + "1": "", "map(1..3, # * 2)": "", `let a = 1; a`: "",
	} {
		res := run(t.Context(), r, "calculator", map[string]any{"expression": expression})
		var got struct{ Result json.Number }
		d := json.NewDecoder(strings.NewReader(res.Content))
		if want == "" {
			if res.ErrorType == "" {
				t.Errorf("%q gave %s", expression, res.Content)
			}
			continue
		}
		if err := d.Decode(&got); err != nil || got.Result.String() != want {
			t.Errorf("%q gave %s %s, want %s", expression, res.Content, res.ErrorType, want)
		}
	}
}

func TestWeather(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	for city, want := range map[string]string{"Guangzhou": `"city":"Guangzhou"`, "香港": `"city":"Hong Kong"`, "beijing": `"condition":"Clear sky"`} {
		res := run(t.Context(), r, "get_weather", map[string]any{"city": city})
		if res.ErrorType != "" || !strings.Contains(res.Content, want) || !strings.Contains(res.Content, `"sample":true`) {
			t.Errorf("%s: %+v", city, res)
		}
	}
	if res := run(t.Context(), r, "get_weather", map[string]any{"city": "Atlantis"}); res.ErrorType != agent.ErrExecution || !strings.Contains(res.Content, "Atlantis") {
		t.Errorf("unknown city: %+v", res)
	}
	for name, h := range map[string]http.HandlerFunc{
		"an error":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret inside", http.StatusBadGateway) },
		"no JSON":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"a hung call": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		srv := httptest.NewServer(h)
		tool := weather{client: &http.Client{Timeout: time.Second}, forecast: srv.URL, geocoding: srv.URL}
		res := tool.Run(t.Context(), agent.ToolInput{Args: json.RawMessage(`{"city":"x"}`)})
		if res.ErrorType != agent.ErrNetwork || strings.Contains(res.Content, srv.URL) || strings.Contains(res.Content, "secret") {
			t.Errorf("%s: %+v", name, res)
		}
		srv.CloseClientConnections()
		srv.Close()
	}
}

func TestFilesStayInTheWorkspace(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	ctx := t.Context()
	if res := run(ctx, r, "write_file", map[string]any{"path": "notes/a.txt", "content": "hello\n"}); res.ErrorType != "" {
		t.Fatalf("write: %+v", res)
	}
	if res := run(ctx, r, "read_file", map[string]any{"path": "./notes/a.txt"}); res.Content != "hello\n" {
		t.Errorf("read: %+v", res)
	}
	if res := run(ctx, r, "list_files", map[string]any{}); res.Content != "notes/\n" {
		t.Errorf("list: %+v", res)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	space := filepath.Join(dir, "workspaces", "c1")
	for link, target := range map[string]string{"out": dir, "file": filepath.Join(dir, "secret"), "rel": "../../secret"} {
		if err := os.Symlink(target, filepath.Join(space, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"../secret", "/etc/passwd", "notes/../../../secret", `..\..\secret`, "out/secret", "file", "rel", "a\x00b"} {
		for _, tool := range []string{"read_file", "list_files", "write_file"} {
			args := map[string]any{"path": path}
			if tool == "write_file" {
				if path == "file" || path == "rel" {
					continue // a link is replaced by the file, its target is left alone
				}
				args["content"] = "overwritten"
			}
			res := run(ctx, r, tool, args)
			if res.ErrorType != agent.ErrPathOutside && res.ErrorType != agent.ErrInvalidParams || strings.Contains(res.Content, dir) {
				t.Errorf("%s %q: %+v", tool, path, res)
			}
		}
	}
	if res := run(ctx, r, "read_file", map[string]any{"path": "none"}); res.ErrorType != agent.ErrFileNotFound || strings.Contains(res.Content, dir) {
		t.Errorf("missing: %+v", res)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "secret")); err != nil || string(raw) != "key" {
		t.Errorf("outside was touched: %s %v", raw, err)
	}
}

func TestWriteShowsItsDiff(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "a.txt", "content": "one\ntwo\n"})
	e := r.Evidence("write_file", agent.ToolInput{ConversationID: "c1", Args: json.RawMessage(`{"path":"a.txt","content":"one\nthree\n"}`)})
	if e.Effect != agent.EffectWrite || !strings.Contains(e.Diff, "-two") || !strings.Contains(e.Diff, "+three") {
		t.Errorf("evidence: %+v", e)
	}
	e = r.Evidence("run_shell", agent.ToolInput{ConversationID: "c1", Args: json.RawMessage(`{"command":"rm -rf build"}`)})
	if e.Command != "rm -rf build" || e.Cwd != "workspaces/c1" {
		t.Errorf("evidence: %+v", e)
	}
}

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

// TestShellEndsWithItsChildren: cancelling ends the whole group within 200 ms,
// also where a grandchild ignores signals and holds the output open.
func TestShellEndsWithItsChildren(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{})
	var once sync.Once
	done := make(chan agent.ToolResult, 1)
	go func() {
		done <- r.Execute(ctx, "run_shell", agent.ToolInput{
			RunID: "r1", ConversationID: "c1", CallID: "k1",
			Args:     json.RawMessage(`{"command":"(trap '' TERM HUP INT; while :; do echo x >> alive; sleep 0.05; done) & echo begun; wait"}`),
			Progress: func(string) { once.Do(func() { close(started) }) },
		})
	}()
	<-started
	at := time.Now()
	cancel()
	res := <-done
	if took := time.Since(at); took > time.Second {
		t.Errorf("it took %s", took)
	}
	if res.ErrorType != agent.ErrCancelled || !strings.Contains(res.Content, "begun") {
		t.Errorf("result: %+v", res)
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "workspaces", "c1", "alive"))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	before := size()
	time.Sleep(300 * time.Millisecond) // six beats of the grandchild, were it alive
	if size() != before {
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

// odd is a tool with a mind of its own.
type odd struct {
	name string
	do   func(context.Context) agent.ToolResult
}

func (o odd) Spec() agent.ToolSpec {
	s := builtin(o.name, "odd", `{"type":"object"}`)
	s.Timeout = 50 * time.Millisecond
	return s
}

func (o odd) Run(ctx context.Context, _ agent.ToolInput) agent.ToolResult { return o.do(ctx) }

// TestExecuteBoundsEveryTool: whatever a tool does, its call has a result in time.
func TestExecuteBoundsEveryTool(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	r, dir := kit(t,
		odd{"deaf", func(context.Context) agent.ToolResult { <-release; return agent.ToolResult{Content: "late"} }},
		odd{"panics", func(context.Context) agent.ToolResult { panic("secret inside") }},
		odd{"long", func(context.Context) agent.ToolResult {
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
	if _, err := os.Stat(filepath.Join(dir, "outputs", "c1", "___r", "a_______b.txt")); err != nil {
		t.Error(err)
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
