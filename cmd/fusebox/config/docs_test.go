package config

import (
	"slices"
	"testing"

	"fusebox/cmd/fusebox/docstest"
)

// TestDocsKeys: the page about the configuration has every key exactly once,
// with its default, and no other.
func TestDocsKeys(t *testing.T) {
	t.Parallel()
	defaults := map[string]string{}
	for _, table := range docstest.Open(t, "docs/configuration.md").Tables() {
		if table.Head[0] != "Key" {
			continue
		}
		for _, row := range table.Rows {
			for _, path := range docstest.Spans(row[0]) {
				if _, twice := defaults[path]; twice {
					t.Errorf("%s stands twice", path)
				}
				defaults[path] = row[1]
			}
		}
	}
	for _, k := range keys {
		want := "`" + k.fallback + "`"
		if k.fallback == "" {
			want = "empty"
		}
		if got := defaults[k.path]; got != want {
			t.Errorf("%s: the page says that the default is %q, the program %q", k.path, got, want)
		}
		delete(defaults, k.path)
	}
	for path := range defaults {
		t.Errorf("%s is not a key", path)
	}
}

// TestDocsTables: so has it the tables of the configuration file.
func TestDocsTables(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"[prices.MODEL]", "[[providers]]", "[agents.NAME]", "[workflows.NAME]", "[[policy.rules]]", "[[mcp.servers]]", "[[tools.commands]]", "[[tools.openapi]]", "[[tools.limits]]"} {
		if !slices.Contains(docstest.Open(t, "docs/configuration.md").Column("Table", 0), path) {
			t.Errorf("%s is missing", path)
		}
	}
}
