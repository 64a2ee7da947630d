package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// TestPricesCommand: a list is imported once, for models that are offered or for
// all, and the configuration stands above the shipped table and below admins.
func TestPricesCommand(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	must(t, os.WriteFile(filepath.Join(data, "fusebox.toml"), []byte(`
[prices."gpt-4o"]
input = 0.0000005
output = 7
[[providers]]
name = "far"
base_url = "http://127.0.0.1:1/v1"
[[providers.models]]
name = "gpt-4o"
[[providers.models]]
name = "gpt-4o-mini"
[[providers.models]]
name = "own"
[[providers.models]]
name = "dear"
price = { input = 1, output = 2 }
`), 0o600))
	list := filepath.Join(data, "list.json")
	must(t, os.WriteFile(list, []byte(`{
		"far/own": {"mode": "chat", "input_cost_per_token": "1.5e-06", "output_cost_per_token": 2e-6},
		"other": {"mode": "chat", "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}`), 0o600))
	run := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		p := process{env: []string{"FUSEBOX_DATA=" + data}, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}
		status := p.main(context.Background(), append([]string{"prices"}, args...))
		return status, stdout.String(), stderr.String()
	}
	lines := func() map[string]string {
		t.Helper()
		status, out, said := run("list")
		if status != exitOK {
			t.Fatalf("list: %d %s", status, said)
		}
		all := map[string]string{}
		for line := range strings.Lines(out) {
			name, rest, _ := strings.Cut(line, "  ")
			all[name] = strings.Join(strings.Fields(rest), " ")
		}
		return all
	}
	before := lines()
	for model, want := range map[string]string{
		"far/gpt-4o": "$0.000001 $0.000001 $7 $7 - configuration", "far/gpt-4o-mini": "$0.15 $0.075 $0.6 $0.6 2024-07-18 https://openai.com/api/pricing/",
		"far/own": "no price -", "far/dear": "$1 $1 $2 $2 - configuration",
	} {
		if before[model] != want {
			t.Errorf("%s: %q, want %q", model, before[model], want)
		}
	}
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"import", list, "--source", "a list"}, "1 new, 0 changed, 0 the same, 1 skipped\n"},
		{[]string{"import", list, "--all"}, "1 new, 0 changed, 1 the same, 0 skipped\n"},
		{[]string{"import", list, "--all", "-data", data}, "0 new, 0 changed, 2 the same, 0 skipped\n"},
		{[]string{"import", "-data", data, "--all", list}, "0 new, 0 changed, 2 the same, 0 skipped\n"},
	} {
		if status, out, said := run(step.args...); status != exitOK || out != step.want {
			t.Errorf("%v: %d %q %s", step.args, status, out, said)
		}
	}
	if got, want := lines()["far/own"], "$1.5 $1.5 $2 $2 "+agent.Day(time.Now()).Format(time.DateOnly)+" a list"; got != want {
		t.Errorf("after the import: %q, want %q", got, want)
	}
	for _, args := range [][]string{{}, {"show"}, {"import"}, {"list", "x"}, {"import", list, list}} {
		if status, _, _ := run(args...); status != exitUsage {
			t.Errorf("%v: status %d", args, status)
		}
	}
	must(t, os.WriteFile(list, []byte("<html>"), 0o600))
	if status, _, said := run("import", list); status != exitError || !strings.Contains(said, "not valid JSON") {
		t.Errorf("no list: %d %s", status, said)
	}
}
