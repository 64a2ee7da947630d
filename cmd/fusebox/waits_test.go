package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// waits are ways to depend on how long something takes.
var waits = regexp.MustCompile(`time\.(Sleep|After|AfterFunc|NewTimer|Since)\(|context\.WithTimeout\(|WithDeadline\(`)

// realTime are the tests in which real time is the subject, or comes from outside.
var realTime = map[string]string{
	"agent/loop/looptest/crash_child_test.go":   "a process that is killed at random moments",
	"agent/loop/looptest/faults_clock_test.go":  "a bound that only ends a hang",
	"agent/loop/looptest/shared_budget_test.go": "a model that answers after random times",
	"cmd/fusebox/e2e/browser_test.go":           "a page that is polled, within what only ends a hang",
	"cmd/fusebox/e2e/browser_tree_test.go":      "a bound that only ends a hang",
	"cmd/fusebox/e2e/commands_linux_test.go":    "a benchmark",
	"cmd/fusebox/e2e/outages_decide_test.go":    "clients that act at random moments",
	"cmd/fusebox/e2e/outages_model_test.go":     "a model that writes slowly",
	"cmd/fusebox/e2e/outages_test.go":           "a server that is killed at random moments",
	"cmd/fusebox/e2e/proxies_chat_test.go":      "a silence that is longer than a proxy's",
	"cmd/fusebox/e2e/stop_test.go":              "the time in which a server ends",
	"agent/provider/bench_sdk_test.go":          "a benchmark",
	"cmd/fusebox/guards_test.go":                "a benchmark",
}

// TestTestsDoNotHope: no other test waits by the machine's clock. What to use instead is in
// docs/contributing.md.
func TestTestsDoNotHope(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "bench_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && waits.Match(text) && !strings.Contains(string(text), `"testing/synctest"`) {
			name, _ := filepath.Rel(root, path)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if realTime[file] == "" && file != "cmd/fusebox/waits_test.go" {
			t.Errorf("%s waits by the machine's clock", file)
		}
	}
	for file := range realTime {
		if !slices.Contains(found, file) {
			t.Errorf("%s waits no longer by the machine's clock", file)
		}
	}
}
