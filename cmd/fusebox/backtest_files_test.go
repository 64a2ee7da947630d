package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fusebox/agent/guards/measure"
)

// backtestFiles runs fusebox guards backtest; without arguments it has --json alone.
func backtestFiles(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	if args == nil {
		args = []string{"--json"}
	}
	var stdout, stderr bytes.Buffer
	p := process{env: []string{"FUSEBOX_DATA=" + t.TempDir()}, stdout: &stdout, stderr: &stderr}
	status = p.main(t.Context(), append([]string{"guards", "backtest"}, args...))
	return status, stdout.String(), stderr.String()
}

// caseFolder has seven cases: a loop of eight and one of six, a poll, a warning
// that is wanted and one that is not, and a chant and a text without one.
func caseFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, "index.json", `{"tools":{"job":"polling"},"cases":[
		{"id":"eight","label":"loud","file":"eight.jsonl"},
		{"id":"six","label":"loud","level":"pause","file":"six.jsonl"},
		{"id":"warned","label":"loud","level":"warning","file":"six.jsonl"},
		{"id":"calm","label":"quiet","level":"warning","file":"six.jsonl"},
		{"id":"poll","label":"quiet","level":"warning","file":"poll.jsonl"},
		{"id":"chant","kind":"text","label":"loud","file":"chant.jsonl"},
		{"id":"text","kind":"text","label":"quiet","file":"text.jsonl"}]}`)
	look := `{"tool":"look","args":{},"result":"closed"}` + "\n"
	writeFile(t, dir, "eight.jsonl", strings.Repeat(look, 8))
	writeFile(t, dir, "six.jsonl", strings.Repeat(look, 6))
	writeFile(t, dir, "poll.jsonl", calls(12, `{"tool":"job","args":{},"result":"%d percent"}`))
	writeFile(t, dir, "chant.jsonl", fmt.Sprintf("{\"text\":%q}\n", strings.Repeat("I will try it once more. ", 60)))
	writeFile(t, dir, "text.jsonl", `{"text":"Nothing in this says the same as anything else here."}`+"\n")
	return dir
}

func TestBacktestFiles(t *testing.T) {
	t.Parallel()
	dir := caseFolder(t)
	status, out, said := backtestFiles(t, dir)
	if status != exitTripped {
		t.Errorf("status %d: %s", status, said)
	}
	for _, want := range []string{
		"any             all   3      1      75%        75%\n",
		"any             text  1      0      100%       100%\n",
		"generic_repeat  run   2      1      67%        67%\n",
		"chanting        text  1      0      100%       100%\n",
		"cases: 7, listed: 2\n",
		"missed  six (run)\n  six.jsonl at 5: warning generic_repeat 5: look was called",
		"false  calm (run)\n  six.jsonl at 5: warning generic_repeat 5: look was called",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it did not print %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "chanting        run") {
		t.Errorf("a detector is counted for a kind in which it did not speak:\n%s", out)
	}
}

// TestBacktestUnlabelled: histories without labels show what would have tripped.
func TestBacktestUnlabelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, "eight.jsonl", strings.Repeat(`{"tool":"look","args":{},"result":"closed"}`+"\n", 8))
	writeFile(t, dir, "stores.jsonl", calls(12, `{"tool":"store","args":{"id":%d},"result":"ok"}`))
	eight, stores := filepath.Join(dir, "eight.jsonl"), filepath.Join(dir, "stores.jsonl")
	status, out, _ := backtestFiles(t, eight, stores)
	if status != exitOK || !strings.Contains(out, "any             all   0      0      -          -       2\n") ||
		!strings.Contains(out, "tripped  eight.jsonl (run)\n") || !strings.Contains(out, "tripped  stores.jsonl (run)\n") {
		t.Errorf("status %d\n%s", status, out)
	}
	if _, out, _ = backtestFiles(t, stores, "--tool", "store=write"); !strings.Contains(out, "cases: 1, listed: 0") {
		t.Errorf("a declared tool:\n%s", out)
	}
}

// TestBacktestFilesCompares: other numbers stand beside the present ones.
func TestBacktestFilesCompares(t *testing.T) {
	t.Parallel()
	dir := caseFolder(t)
	status, out, said := backtestFiles(t, dir, "--set", "guard.critical=6")
	if status != exitTripped || !strings.Contains(out, "missed → found  six (run)\n  now: six.jsonl at 5: warning generic_repeat 5: look was called 5 times in a row with the same arguments.\n  then: six.jsonl at 6: critical generic_repeat 6") ||
		!strings.Contains(out, "generic_repeat  run   2 → 3  1      67% → 75%  67% → 100%\n") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	_, out, _ = backtestFiles(t, dir, "--json", "--rule", `{"tool":"look","warning":20,"critical":25}`)
	var r measure.Report
	must(t, json.Unmarshal([]byte(out), &r))
	row := r.Rows[slices.IndexFunc(r.Rows, func(r measure.Row) bool { return r.Detector == "any" && r.Kind == "run" })]
	if r.Cases != 7 || row.Now.Right != 2 || row.Now.Wrong != 1 || row.Then.Right != 0 || row.Then.Silent != 2 || *row.Now.Recall < 0.66 || row.Then.Precision != nil {
		t.Errorf("%s", out)
	}
	warned := r.List[slices.IndexFunc(r.List, func(l measure.Listed) bool { return l.ID == "warned" })]
	if warned.Now.Result != "found" || warned.Then.Result != "missed" || warned.Now.Verdict.Line != 5 || warned.Now.Verdict.Detector != "generic_repeat" {
		t.Errorf("%+v", warned)
	}
}
