package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// arrow says who may import whom, indirect imports included.
type arrow struct {
	from     string // package path; its subpackages are meant too where it ends in /...
	notInto  []string
	but      string // may be imported all the same
	libsOnly bool   // of ours: nothing at all
}

var arrows = []arrow{
	{from: "fusebox/agent/...", notInto: []string{"fusebox/store", "fusebox/web", "fusebox/views", "fusebox/static", "github.com/labstack/echo", "github.com/mattn/go-sqlite3", "github.com/gorilla/websocket"}},
	{from: "fusebox/agent/telemetry", notInto: []string{"fusebox/agent/loop", "fusebox/agent/service", "fusebox/agent/guards", "fusebox/agent/provider", "fusebox/agent/tools", "google.golang.org/grpc"}},
	{from: "fusebox/agent/schema", notInto: []string{"fusebox/agent/tools", "fusebox/agent/loop", "fusebox/agent/service", "fusebox/agent/policy", "fusebox/agent/provider"}},
	{from: "fusebox/agent/sandbox", notInto: []string{"fusebox/agent/tools", "fusebox/agent/loop", "fusebox/agent/service", "fusebox/agent/policy", "fusebox/agent/provider"}},
	{from: "fusebox/agent/sandbox/room", libsOnly: true},
	{from: "fusebox/agent/provider/wire", notInto: []string{"fusebox/agent/provider", "fusebox/agent/loop", "fusebox/agent/tools", "github.com/openai/openai-go"}},
	{from: "fusebox/agent/provider/answer", notInto: []string{"fusebox/agent/loop", "fusebox/agent/tools", "github.com/openai/openai-go"}},
	{from: "fusebox/agent/demo/wire", libsOnly: true},
	{from: "fusebox/agent/provider/history", notInto: []string{"fusebox/agent/provider/wire", "fusebox/agent/provider/answer", "fusebox/agent/loop", "fusebox/agent/tools", "github.com/openai/openai-go"}},
	{from: "fusebox/agent/provider/models", notInto: []string{"fusebox/agent/provider/answer", "fusebox/agent/provider/history", "fusebox/agent/loop", "fusebox/agent/tools", "github.com/openai/openai-go"}},
	{from: "fusebox/agent/guards/...", notInto: []string{"fusebox/agent/loop", "fusebox/agent/service", "fusebox/agent/provider", "fusebox/agent/tools", "fusebox/agent/policy"}},
	{from: "fusebox/agent/guards/histories", notInto: []string{"fusebox/agent/guards/measure"}},
	{from: "fusebox/cmd/fusebox/bench", libsOnly: true},
	{from: "fusebox/cmd/fusebox/config", notInto: []string{"fusebox/store", "fusebox/web", "fusebox/views", "fusebox/agent/loop", "fusebox/agent/service"}},
	{from: "fusebox/store/sqlite", notInto: []string{"fusebox/store"}},
	{from: "fusebox/store/backup", notInto: []string{"fusebox/store/eventlog", "fusebox/agent/lru"}},
	{from: "fusebox/store/eventlog", notInto: []string{"fusebox/agent/lru", "fusebox/store/backup"}},
	{from: "fusebox/store/passages", notInto: []string{"fusebox/agent/lru", "fusebox/store/backup", "fusebox/store/eventlog", "fusebox/store/readable"}},
	{from: "fusebox/store/readable", notInto: []string{"fusebox/agent/lru", "fusebox/store/backup", "fusebox/store/eventlog", "fusebox/store/passages"}},
	{from: "fusebox/store/spend", notInto: []string{"fusebox/agent/lru", "fusebox/store/backup", "fusebox/store/eventlog", "fusebox/store/passages", "fusebox/store/readable"}},
	{from: "fusebox/store/...", notInto: []string{"fusebox/agent/service", "fusebox/agent/loop", "fusebox/web", "fusebox/views", "github.com/labstack/echo", "github.com/openai/openai-go", "github.com/prometheus", "go.opentelemetry.io"}},
	{from: "fusebox/agent/loop", notInto: []string{"fusebox/agent/service", "fusebox/agent/guards", "fusebox/agent/provider", "fusebox/agent/tools", "fusebox/agent/policy"}},
	{from: "fusebox/agent/service", notInto: []string{"fusebox/agent/loop", "fusebox/agent/guards", "fusebox/agent/provider", "fusebox/agent/tools", "fusebox/agent/policy"}},
	{from: "fusebox/agent/fingerprint", libsOnly: true},
	{from: "fusebox/agent/lru", libsOnly: true},
	{from: "fusebox/agent/ranking", libsOnly: true},
	{from: "fusebox/agent/retrieval", libsOnly: true},
	{from: "fusebox/agent/provider/o200k", libsOnly: true},
	{from: "fusebox/agent/shell", libsOnly: true},
	{from: "fusebox/web/...", notInto: []string{"fusebox/store", "fusebox/migrations", "fusebox/agent/loop", "fusebox/agent/guards", "fusebox/agent/provider", "fusebox/agent/tools", "fusebox/agent/policy", "github.com/mattn/go-sqlite3", "github.com/openai/openai-go", "github.com/prometheus", "go.opentelemetry.io"}},
	{from: "fusebox/web/address", libsOnly: true},
	{from: "fusebox/web/api", notInto: []string{"fusebox/web/page"}},
	{from: "fusebox/web/page/...", notInto: []string{"fusebox/web/api"}},
	{from: "fusebox/web/site", notInto: []string{"fusebox/web/api", "fusebox/web/page"}},
	{from: "fusebox/web/live", notInto: []string{"fusebox/web/api", "fusebox/web/page"}},
	{from: "fusebox/web/mcp", notInto: []string{"fusebox/web/api", "fusebox/web/page"}},
	{from: "fusebox/web/throttle", notInto: []string{"fusebox/web/api", "fusebox/web/page", "fusebox/web/live"}},
	{from: "fusebox/web/request", notInto: []string{"fusebox/web/api", "fusebox/web/page", "fusebox/web/live"}},
	{from: "fusebox/web/present/...", notInto: []string{"github.com/labstack/echo", "fusebox/web/api", "fusebox/web/page", "fusebox/web/live", "fusebox/web/request"}},
	{from: "fusebox/views/...", notInto: []string{"github.com/labstack/echo", "fusebox/agent/", "fusebox/store", "fusebox/web", "fusebox/static"}, but: "fusebox/agent/fingerprint"},
	{from: "fusebox/views/text", libsOnly: true},
	{from: "fusebox/migrations", libsOnly: true},
	{from: "fusebox/static", libsOnly: true},
}

func TestImportArrows(t *testing.T) {
	t.Parallel()
	for _, a := range arrows {
		for pkg, deps := range dependencies(t, a.from) {
			for _, dep := range deps {
				bad := a.libsOnly && strings.HasPrefix(dep, "fusebox/") && dep != pkg
				bad = bad || dep != a.but && slices.ContainsFunc(a.notInto, func(p string) bool { return strings.HasPrefix(dep, p) })
				if bad {
					t.Errorf("%s must not depend on %s", pkg, dep)
				}
			}
		}
	}
}

// TestDomainImportsStandardLibraryOnly: the package agent itself has no dependency but the leaf fingerprint.
func TestDomainImportsStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	for _, dep := range dependencies(t, "fusebox/agent")["fusebox/agent"] {
		host, _, _ := strings.Cut(dep, "/")
		if strings.Contains(host, ".") || strings.HasPrefix(dep, "fusebox/") && dep != "fusebox/agent/fingerprint" {
			t.Errorf("fusebox/agent must not depend on %s", dep)
		}
	}
}

// listed is each of our packages with what it depends on, asked for once.
var listed = sync.OnceValues(func() (map[string][]string, error) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "fusebox/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	deps := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		deps[fields[0]] = slices.DeleteFunc(fields[1:], func(d string) bool {
			// The standard library's own vendored packages have dots too.
			return strings.HasPrefix(d, "vendor/")
		})
	}
	return deps, nil
})

// dependencies maps each package of the pattern, a path or one that ends in /..., to what
// it depends on.
func dependencies(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	root, under := strings.CutSuffix(pattern, "/...")
	deps := map[string][]string{}
	for pkg, of := range all {
		if pkg == root || under && strings.HasPrefix(pkg, root+"/") {
			deps[pkg] = of
		}
	}
	if len(deps) == 0 {
		t.Fatalf("%s: no packages", pattern)
	}
	return deps
}
