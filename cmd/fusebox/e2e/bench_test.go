package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"fusebox/cmd/fusebox/bench"
)

// benchLines are the lines of a quick measurement.
var benchLines = []string{
	"start", "memory_idle", "memory_idle_own", "memory_5", "memory_5_peak", "sockets_20", "sockets_20_peak", "first_direct", "first", "first_beyond",
	"deltas_1", "deltas_1_cpu", "deltas_4", "deltas_4_cpu", "steps_3", "steps_3_time", "steps_3_cpu", "steps_10", "steps_10_time", "steps_10_cpu",
	"chat_4_cpu", "chat_4_first", "runs_10_memory", "runs_10_memory_peak", "runs_10_served", "runs_10_first", "runs_10_cpu", "runs_10_late",
}

// TestBench measures this program and compares it with an earlier result. Settings
// of the environment do not reach the server.
func TestBench(t *testing.T) {
	t.Parallel()
	earlier := bench.Result{Version: 1}
	for _, id := range benchLines {
		earlier.Lines = append(earlier.Lines, bench.Line{ID: id, Value: 2})
	}
	raw, err := json.Marshal(earlier)
	must(t, err)
	file, dir := filepath.Join(t.TempDir(), "earlier.json"), t.TempDir()
	must(t, os.WriteFile(file, raw, 0o600))
	env := []string{"FUSEBOX_GUARD_WINDOW=wrong", "OPENAI_BASE_URL=wrong"}
	status, out, said := with(t, env, "", "bench", "--quick", "--json", "--compare", file, "--dir", dir)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, said)
	}
	var got bench.Comparison
	must(t, json.Unmarshal([]byte(out), &got))
	ratios := map[string]float64{}
	for _, r := range got.Ratios {
		ratios[r.ID] = r.Ratio
	}
	for i, l := range got.Lines {
		if i >= len(benchLines) || l.ID != benchLines[i] {
			t.Fatalf("line %d is %s", i, l.ID)
		}
		if l.Value <= 0 || l.Samples < 1 || l.Name == "" || l.Unit == "" || ratios[l.ID] != l.Value/2 {
			t.Errorf("%+v with the ratio %v", l, ratios[l.ID])
		}
	}
	if len(got.Lines) != len(benchLines) || got.Machine.CPUs < 1 || got.Machine.Go == "" {
		t.Errorf("%d lines of %+v", len(got.Lines), got.Machine)
	}
	empty(t, dir)
}

func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if must(t, err); len(left) > 0 {
		t.Errorf("%s is left behind", left[0].Name())
	}
}

// stopAt does something when a text is written.
type stopAt struct {
	text string
	stop func()
	said bytes.Buffer
}

func (w *stopAt) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		w.stop()
	}
	return w.said.Write(p)
}

// TestBenchIsInterrupted: it says so, and leaves nothing behind.
func TestBenchIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := command(t, t.Context(), nil, "bench", "--quick", "--dir", dir)
	said := &stopAt{text: "measuring: memory", stop: func() { _ = cmd.Process.Signal(os.Interrupt) }}
	cmd.Stderr = said
	out, err := cmd.Output()
	if err == nil || cmd.ProcessState.ExitCode() != exitError || !strings.Contains(said.said.String(), "interrupted") {
		t.Errorf("%v: %s", err, &said.said)
	}
	if len(out) > 0 {
		t.Errorf("it prints %s", out)
	}
	empty(t, dir)
}

// obedientModel calls the calculator three times where it is asked to use it, and
// counts the calls of its own.
type obedientModel struct{ calls atomic.Int64 }

func (m *obedientModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"obedient","object":"model"}]}`)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Authorization") != "Bearer sk-secret" {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
		return
	}
	m.calls.Add(1)
	w.Header().Set("Content-Type", "text/event-stream")
	results := bytes.Count(body, []byte(`"role":"tool"`))
	if !bytes.Contains(body, []byte("Use the calculator")) || results == 3 {
		chunk(w, map[string]any{"content": "ready"}, "stop")
		return
	}
	chunk(w, map[string]any{"tool_calls": []map[string]any{{
		"index": 0, "id": fmt.Sprintf("call_%d", results), "type": "function",
		"function": map[string]string{"name": "calculator", "arguments": fmt.Sprintf(`{"expression":"%d*7"}`, results)},
	}}}, "tool_calls")
}

// TestBenchOfAnEndpoint: a given model is told of before it is asked, and asked no
// more than that; the key is shown nowhere.
func TestBenchOfAnEndpoint(t *testing.T) {
	t.Parallel()
	model := &obedientModel{}
	server := httptest.NewServer(model)
	defer server.Close()
	status, out, said := with(t, []string{"OPENAI_API_KEY=sk-secret"}, "", "bench", "--base-url", server.URL+"/v1", "--model", "obedient", "--runs", "2")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, said)
	}
	told := regexp.MustCompile(`about (\d+) calls of obedient`).FindStringSubmatch(said)
	if told == nil {
		t.Fatalf("the cost is not told: %s", said)
	}
	if most, err := strconv.ParseInt(told[1], 10, 64); err != nil || model.calls.Load() > most {
		t.Errorf("%d calls, told: %s", model.calls.Load(), said)
	}
	for _, name := range []string{"First delta, beyond the endpoint", "Tokens, 1 run", "Tool steps, runs of 8", "2 runs: served at once", "2 runs: memory"} {
		if !strings.Contains(out, name) {
			t.Errorf("%s is missing in\n%s", name, out)
		}
	}
	if strings.Contains(out+said, "secret") {
		t.Errorf("the key is shown: %s%s", out, said)
	}
}

// TestBenchRefuses what it cannot do, and says what can be done about it.
func TestBenchRefuses(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other.json")
	must(t, os.WriteFile(other, []byte(`{"version":9,"lines":[]}`), 0o600))
	for want, args := range map[string][]string{
		"flag provided but not defined: -nope":                         {"--nope"},
		`unexpected argument "x"`:                                      {"x"},
		"allowed: a number from 1 to 3600":                             {"--seconds", "0"},
		"allowed: a number from 1 to 2000":                             {"--runs", "-1"},
		"name a file that fusebox bench --json wrote":                  {"--compare", "nowhere.json"},
		"is not a result of version 1":                                 {"--compare", other},
		"name one that is there":                                       {"--dir", other},
		"such as http://127.0.0.1:11434/v1":                            {"--base-url", "127.0.0.1:80", "--model", "x"},
		"name the model to ask as well, with --model":                  {"--base-url", "http://127.0.0.1:1/v1"},
		"name its endpoint as well, with --base-url":                   {"--model", "x"},
		"a given one is always measured with few calls":                {"--base-url", "http://127.0.0.1:1/v1", "--model", "x", "--quick"},
		"usage: fusebox bench [--base-url U --model M] [--json] [--co": {"--runs", "many"},
	} {
		if status, out, said := with(t, nil, "", append([]string{"bench"}, args...)...); status != exitUsage || !strings.Contains(out+said, want) {
			t.Errorf("%q: status %d: %s%s", args, status, out, said)
		}
	}
	status, _, said := with(t, nil, "", "bench", "--base-url", "http://127.0.0.1:1/v1", "--model", "x")
	if status != exitError || !strings.Contains(said, "reach the endpoint") {
		t.Errorf("no endpoint: status %d: %s", status, said)
	}
}
