package looptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

var errPulled = errors.New("the plug was pulled")

// unplugged is a journal that takes no more entries after some: what is in
// it then is what a process leaves that is killed between two entries.
type unplugged struct {
	agent.Journal
	left *atomic.Int64
}

func (j unplugged) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	if j.left.Add(-1) < 0 {
		return agent.Committed{}, errPulled
	}
	return j.Journal.Append(ctx, e)
}

// TestVerdictsSurviveKills: a process that is killed after any of its entries
// changes nothing of what the breakers say.
func TestVerdictsSurviveKills(t *testing.T) {
	t.Parallel()
	step := int64(24)
	if agenttest.Full() {
		step = 6
	}
	for _, name := range []string{"the same call", "rounds of 3", "a counter", "turns that got stuck", "other calls between", "two failures, then a third"} {
		all := loud()
		p := all[slices.IndexFunc(all, func(p proof) bool { return p.name == name })]
		for after := int64(1); after < 60; after += step {
			t.Run(fmt.Sprintf("%s, killed after %d", name, after), func(t *testing.T) {
				t.Parallel()
				p := p
				p.set = func(w *world) { killAfter(w, after) }
				_, _, said := p.run(t)
				if strings.Join(said, "\n") != strings.Join(p.want, "\n") {
					t.Errorf("the breakers said\n  %s\nwant\n  %s", strings.Join(said, "\n  "), strings.Join(p.want, "\n  "))
				}
			})
		}
	}
}

// killAfter plays the run of the next message up to some entries, and begins a
// new process in its place, which continues with it.
func killAfter(w *world, entries int64) {
	left := &atomic.Int64{}
	left.Store(entries)
	w.runner.Loop.Journal = unplugged{w.store, left}
	w.model.Stateless = true
	w.beforeAdvance = func(string) {
		w.beforeAdvance = nil
		err := w.runner.Loop.Advance(w.t.Context(), w.claimed())
		if err != nil && !errors.Is(err, errPulled) {
			w.t.Fatal(err)
		}
		w.restart()
	}
}
