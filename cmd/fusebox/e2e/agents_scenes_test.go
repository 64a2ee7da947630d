package e2e

import (
	"maps"
	"slices"
	"sync"
	"testing"
)

// scene is a task for several agents, what each of them does, and what has to come of it.
type scene struct {
	actors []actor
	// plays says what an agent answers, by its name; the root has that of its task.
	plays map[string]func(cue) reply
	check func(t *testing.T, c *cast)
}

// playing is one program in which several scenes take place.
func playing(t testing.TB, scenes []scene, env ...string) *cast {
	t.Helper()
	all := map[string]func(cue) reply{}
	var actors []actor
	for _, s := range scenes {
		maps.Copy(all, s.plays)
		actors = append(actors, s.actors...)
	}
	return startTrees(t, func(c cue) reply {
		as := c.agent
		if as == "" {
			as = c.task
		}
		play, known := all[as]
		if !known {
			t.Errorf("nobody plays %q in %q", c.agent, c.task)
			return says("I do not know.")
		}
		return play(c)
	}, actors, env...)
}

// TestAgentTrees has several agents work on one task, over the API of one server.
func TestAgentTrees(t *testing.T) {
	t.Parallel()
	scenes := map[string]scene{
		"a loop below":         loopBelow(),
		"a task handed on":     handedOn(),
		"many at once":         manyAtOnce(),
		"one budget":           oneBudget(),
		"same chance":          sameChance(),
		"two cards":            twoCards(),
		"a limit below":        limitBelow(),
		"an effect and an end": failsAfterEffect(),
		"a long answer":        readThrough(),
		"stopped":              stoppedTree(),
		"stopped in part":      stoppedInPart(),
	}
	c := playing(t, slices.Collect(maps.Values(scenes)), "FUSEBOX_RUN_PARALLEL_PER_USER=100")
	for name, s := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.check(t, c.of(t))
		})
	}
}

// meeting has requests wait for each other.
type meeting struct {
	mu     sync.Mutex
	others int // that are still to come
	open   chan struct{}
}

func meetingOf(n int) *meeting { return &meeting{others: n, open: make(chan struct{})} }

// join waits until all have come.
func (m *meeting) join(c cue) {
	m.mu.Lock()
	if m.others--; m.others == 0 {
		close(m.open)
	}
	m.mu.Unlock()
	select {
	case <-m.open:
	case <-c.left:
	}
}
