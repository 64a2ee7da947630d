package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fusebox/agent/agenttest"
)

// atOnceModel counts how many requests are answered at the same time.
type atOnceModel struct {
	mu        sync.Mutex
	now, most int
}

func (m *atOnceModel) enter() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now++
	m.most = max(m.most, m.now)
}

func (m *atOnceModel) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now--
}

// hangs is a configuration with a tool that only reads, and never ends.
func hangs(t *testing.T) (env string) {
	t.Helper()
	dir := t.TempDir()
	const program = `#!/bin/sh
if [ "$1" = --list ]; then
  echo '[{"name":"hang","description":"Hangs.","parameters":{"type":"object"},"effect":"read"}]'
  exit
fi
exec sleep 1000
`
	const config = `
[[tools.commands]]
name = "hanging"
discover = ["./hanging", "--list"]
call = ["./hanging", "--call"]
timeout = "1s"
`
	must(t, os.WriteFile(filepath.Join(dir, "fusebox.toml"), []byte(config), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "hanging"), []byte(program), 0o700))
	return "FUSEBOX_CONFIG=" + filepath.Join(dir, "fusebox.toml")
}

// TestTreesShareFewPlaces: runs that wait for others hold no place: three trees of one person
// with two places come to their end, though a command runs out of time and the endpoint
// sends calls away. Somebody else is answered before any of them has ended.
func TestTreesShareFewPlaces(t *testing.T) {
	t.Parallel()
	var busy atOnceModel
	open := make(chan struct{})
	var refused, working atomic.Int32
	twice := func(agent, task string) reply {
		return does(delegates(agent, task+", left", nil), delegates(agent, task+", right", nil))
	}
	plays := func(c cue) reply {
		busy.enter()
		defer busy.leave()
		if strings.Contains(c.task, "tree 2, ") && refused.Add(1) <= 3 {
			return reply{status: http.StatusTooManyRequests}
		}
		switch {
		case c.task == "hi":
			return says("Hi.")
		case c.agent == "" && c.turn == 0:
			return twice("mid", c.task)
		case c.agent == "mid" && c.turn == 0:
			return twice("leaf", c.task)
		case c.agent == "leaf" && c.turn == 0:
			working.Add(1)
			defer working.Add(-1)
			select {
			case <-open:
			case <-c.left:
			}
			if c.task == "Work on tree 1, left, left" {
				return does(asked{"hang", `{}`})
			}
			return does(asked{"calculator", `{"expression":"6*7"}`})
		case strings.Contains(strings.Join(c.results, " "), "Error"):
			return says("It took too long. " + c.agent)
		default:
			return says("42 " + c.agent)
		}
	}
	c := startTrees(t, plays, []actor{{Name: "mid", Tools: []string{"delegate"}}, {Name: "leaf", Tools: []string{"calculator", "hang"}}},
		"FUSEBOX_RUN_PARALLEL_PER_USER=2", "FUSEBOX_RUN_PARALLEL=4", hangs(t))
	agenttest.Eventually(t, "the tool", func() bool {
		_, list := c.root.call("GET", "/api/v1/tools", "")
		return strings.Contains(string(list), `"hang"`)
	})
	var conversations, runs []string
	for i := range 3 {
		conversation, run := c.begins(c.root, fmt.Sprintf("Work on tree %d", i), "")
		conversations, runs = append(conversations, conversation), append(runs, run)
	}
	agenttest.Eventually(t, "two leaves at work", func() bool { return working.Load() == 2 })
	_, hi := c.rex.ask("hi")
	if v := c.rex.rests(hi); v["status"] != "finished" {
		t.Errorf("the other person's run is %v", v)
	}
	if n := working.Load(); n != 2 {
		t.Errorf("%d leaves are at work in two places", n)
	}
	waits := 0
	for _, conversation := range conversations {
		for _, r := range c.tree(conversation) {
			v := c.root.must("GET", "/api/v1/runs/"+r.id, "")
			if v["status"] == "queued" && v["queuePlace"] != nil {
				waits++
			}
		}
	}
	if waits == 0 {
		t.Error("nobody is said to wait for a place")
	}
	close(open)
	for i, run := range runs {
		if v := c.ended(run); v["status"] != "finished" {
			t.Errorf("tree %d is %v", i, v)
		}
		if all := c.settled(conversations[i]); len(all) != 7 {
			t.Errorf("tree %d has %d runs", i, len(all))
		}
	}
	if busy.most > 3 { // two of one person, and that of the other
		t.Errorf("%d requests were answered at once", busy.most)
	}
	for _, q := range c.model.requests("leaf", "Work on tree 1, left, left") {
		if q.turn == 1 && !strings.Contains(q.results[0], "(timeout)") {
			t.Errorf("the tool without an end gave %q", q.results)
		}
	}
}
