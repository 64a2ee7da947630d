package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fusebox/cmd/fusebox/bench"
	"fusebox/store/storetest"
)

// The sizes that growth is measured at, and how often. A size of each kind comes after
// the other, again and again, so that a busy moment of the machine strikes all of them.
var (
	growthSteps, growthChats, growthRuns = []int{20, 200, 1000}, []int{10, 200, 2000}, []int{1, 64, 200, 1000}
	growthDatabases                      = []string{"empty", "of a year: 1 million events, 100,000 runs, 10,000 chats"}
)

const growthRounds = 3

// BenchmarkGrowth measures what a step, a turn, and a delta cost in runs, chats,
// databases, and crowds of several sizes. It builds the program, takes minutes, and
// prints the tables; with FUSEBOX_TEST_GROWTH=docs it also writes them and their
// picture into that folder of the module.
func BenchmarkGrowth(b *testing.B) {
	g := growthRun{b: b, dir: b.TempDir(), measured: map[string][]bench.Result{}}
	g.build()
	g.fillYear()
	for range growthRounds {
		g.round()
	}
	tables := g.tables()
	fmt.Print("\n" + growthMarkdown(tables)) // a log of a benchmark is cut
	if docs := os.Getenv("FUSEBOX_TEST_GROWTH"); docs != "" {
		must(b, writeGrowth(filepath.Join("../..", docs), tables))
	}
}

// growthRun is the benchmark while it goes on: what was measured so far, by what.
type growthRun struct {
	b        *testing.B
	dir      string
	measured map[string][]bench.Result
}

// build makes a program as people have it: a test binary has more in it, and of a file
// that the linker wrote a moment ago the kernel maps more pages than of a copy.
func (g *growthRun) build() {
	g.b.Helper()
	built := g.program() + "-built"
	if out, err := exec.CommandContext(g.b.Context(), "go", "build", "-o", built, ".").CombinedOutput(); err != nil {
		g.b.Fatalf("%v: %s", err, out)
	}
	must(g.b, copyFile(g.program(), built))
	must(g.b, os.Chmod(g.program(), 0o700))
}

func (g *growthRun) program() string { return filepath.Join(g.dir, "fusebox") }

func (g *growthRun) yearFile() string { return filepath.Join(g.dir, "year.db") }

func (g *growthRun) fillYear() {
	g.b.Helper()
	must(g.b, storetest.YearOfRuns(time.Now()).Fill(g.b.Context(), storetest.Migrated(g.b, g.yearFile())))
}

// round measures everything once.
func (g *growthRun) round() {
	g.b.Helper()
	share := 2 * time.Second
	g.measure("empty", bench.Plan{Steps: growthSteps, Chats: growthChats, Share: share}, "")
	g.measure("year", bench.Plan{Chats: growthChats[:1], Share: share}, g.yearFile())
	for _, n := range growthRuns {
		g.measure(fmt.Sprint(n), bench.Plan{Runs: n, Paced: max(150, n/2)}, "") // the last one begins before the first one ends
	}
}

// measure measures the program, on a copy of a database where one is given.
func (g *growthRun) measure(name string, plan bench.Plan, database string) {
	g.b.Helper()
	plan.Starts = 1
	p := process{env: []string{"HOME=" + g.dir, "PATH=" + os.Getenv("PATH")}}
	result, err := bench.Run(g.b.Context(), bench.Options{
		Plan: plan, Program: g.program(), Env: p.env, Dir: g.dir, Progress: func(string) {},
		Prepare: func(ctx context.Context, data string, accounts int) ([]string, error) {
			if database != "" {
				if err := copyFile(filepath.Join(data, "fusebox.db"), database); err != nil {
					return nil, err
				}
			}
			return p.benchAccounts(ctx, data, accounts)
		},
	})
	must(g.b, err)
	g.measured[name] = append(g.measured[name], result)
}

func copyFile(to, from string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return cmp.Or(err, out.Close())
}

// median is that of a value in all results of a name.
func (g *growthRun) median(name string, value func(bench.Line) float64, id string, size any) float64 {
	g.b.Helper()
	var all []float64
	for _, r := range g.measured[name] {
		line, ok := r.Line(fmt.Sprintf(id, size))
		if !ok {
			g.b.Fatalf("%s has no line %s of %v", name, id, size)
		}
		all = append(all, value(line))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func middle(l bench.Line) float64 { return l.Value }

func (g *growthRun) tables() []growthTable {
	g.b.Helper()
	steps := growthTable{title: "Steps of a run", columns: []growthColumn{{"CPU a step", "ms", true}}}
	for _, n := range growthSteps {
		steps.add(grouped(n), g.median("empty", middle, "steps_%d_cpu", n))
	}
	turn := []growthColumn{{"CPU a turn", "ms", true}, {"First delta", "ms", true}}
	chats := growthTable{title: "Messages of a chat", columns: turn}
	for _, n := range growthChats {
		chats.add(grouped(n), g.median("empty", middle, "chat_%d_cpu", n), g.median("empty", middle, "chat_%d_first", n))
	}
	databases := growthTable{title: "Database", columns: turn}
	for i, name := range []string{"empty", "year"} {
		short := growthChats[0]
		databases.add(growthDatabases[i], g.median(name, middle, "chat_%d_cpu", short), g.median(name, middle, "chat_%d_first", short))
	}
	crowd := growthTable{title: "Runs at once, 50 deltas a second each", columns: []growthColumn{
		{"CPU a delta", "µs", true}, {"Delta latency, p99", "ms", false}, {"Memory, peak", "MB", false}, {"Served at once", "", false},
	}}
	for _, n := range growthRuns {
		name := fmt.Sprint(n)
		crowd.add(grouped(n), g.median(name, middle, "runs_%d_cpu", n), g.median(name, func(l bench.Line) float64 { return l.P99 }, "runs_%d_late", n),
			g.median(name, middle, "runs_%d_memory_peak", n), g.median(name, middle, "runs_%d_served", n))
	}
	return []growthTable{steps, chats, databases, crowd}
}
