package looptest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestCardOfAFileThatASiblingChanged: what is allowed is the change that was shown. If a
// sibling has changed the file meanwhile, the card comes again, with the change as it is now.
func TestCardOfAFileThatASiblingChanged(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, agent.ModeDefault, map[string][]agenttest.Turn{
		"left":  {writesFile("l1", "page.md", "a\nB\n"), {Text: "Done."}},
		"right": {readsFile("r1", "page.md"), writesFile("r2", "page.md", "A\nb\n"), readsFile("r3", "page.md"), writesFile("r4", "page.md", "a\nb\n"), {Text: "Done."}},
	}, hands("left", "right"), agenttest.Turn{Text: "All is done."})
	w.put("page.md", "A\nB\n")
	root := w.ask()
	cards := w.cardsByCall()
	left, right := cards["l1"], cards["r2"]
	w.decide(rex, left.ID, asShown(left))
	w.together(root.ID)
	w.decide(rex, right.ID, asShown(right))
	w.together(root.ID)
	again := w.card()
	ev, err := again.ToolEvidence()
	w.must(err)
	if again.ID != right.ID || again.Generation != 2 || !strings.Contains(ev.Diff, "-a\n") || !strings.Contains(again.Message, "page.md has changed") {
		t.Errorf("the card is %+v with %q", again, ev.Diff)
	}
	if _, err := w.service.Decide(t.Context(), rex, right.ID, asShown(right)); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("the decision about the older one: %v", err)
	}
	w.decide(rex, again.ID, asShown(again))
	w.together(root.ID)
	w.holds("page.md", "a\nB\n")
	merged := w.card()
	w.decide(rex, merged.ID, asShown(merged))
	if root = w.together(root.ID); root.Status != agent.StatusFinished {
		t.Fatalf("the root is %s", root.Status)
	}
	calls := w.results(root.ID, "right")
	w.failsWith(calls["r2"], "changed by agent left since you read it")
	w.works(calls, "r4")
	w.holds("page.md", "a\nb\n")
}

// TestCardOfAFileThatChanged: so it is for a run alone, whoever has changed, made, or removed the file.
func TestCardOfAFileThatChanged(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		was  string
		turn agenttest.Turn
		gone bool
	}{
		"changed":        {"one\n", writesFile("a", "page.md", "three\n"), false},
		"made":           {"", writesFile("a", "page.md", "three\n"), false},
		"removed":        {"one\n", writesFile("a", "page.md", "three\n"), true},
		"edited changed": {"one\ntwo\n", agenttest.Turn{Calls: []agent.CallRequest{editsFile("a", "page.md", "two", "three")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t, agent.ModeDefault, nil, tc.turn)
			if tc.was != "" {
				w.put("page.md", tc.was)
			}
			run := w.ask()
			card := w.card()
			if tc.gone {
				w.must(os.Remove(filepath.Join(w.dir, "page.md")))
			} else {
				w.put("page.md", "two\n")
			}
			w.decide(rex, card.ID, asShown(card))
			w.together(run.ID)
			again := w.card()
			ev, err := again.ToolEvidence()
			w.must(err)
			if again.Generation != 2 || strings.Contains(ev.Diff, "-two") == tc.gone {
				t.Errorf("the card is %+v with %q", again, ev.Diff)
			}
			w.decide(rex, again.ID, asShown(again))
			if run = w.together(run.ID); run.Status != agent.StatusFinished {
				t.Fatalf("the run is %s", run.Status)
			}
			w.holds("page.md", "three\n")
		})
	}
}

// TestWritesOfOneAnswerAreShownInTheirOrder: a card shows what its call changes once those before
// it have run, and need not come again for that.
func TestWritesOfOneAnswerAreShownInTheirOrder(t *testing.T) {
	t.Parallel()
	both := agenttest.Turn{Calls: append(writesFile("a", "page.md", "one\n").Calls, writesFile("b", "page.md", "two\n").Calls...)}
	w := newWorkshop(t, agent.ModeDefault, nil, both)
	run := w.ask()
	cards := w.cardsByCall()
	ev, err := cards["b"].ToolEvidence()
	w.must(err)
	if !strings.Contains(ev.Diff, "-one") {
		t.Errorf("the second card shows %q", ev.Diff)
	}
	for _, id := range []string{"a", "b"} {
		w.decide(rex, cards[id].ID, asShown(cards[id]))
	}
	if run = w.together(run.ID); run.Status != agent.StatusFinished {
		t.Fatalf("the run is %s", run.Status)
	}
	w.holds("page.md", "two\n")
}

// losing is a journal whose process dies before it stores the result of a call.
type losing struct {
	agent.Journal
	call string
}

func (j losing) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	for _, c := range e.Calls {
		if c.Event == agent.CallReturned && c.Call.ID == j.call {
			return agent.Committed{}, errors.New("the process is dead")
		}
	}
	return j.Journal.Append(ctx, e)
}

// TestWriteThatWasCutOffIsNotAskedAboutAgain: what the call itself has written before the process
// died is what was approved.
func TestWriteThatWasCutOffIsNotAskedAboutAgain(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, agent.ModeDefault, nil, writesFile("a", "page.md", "new\n"), agenttest.Turn{Text: "Done."})
	run := w.ask()
	card := w.card()
	w.decide(rex, card.ID, asShown(card))
	w.runner.Loop.Journal = losing{w.runner.Loop.Journal, "a"}
	claimed, err := w.store.Claim(t.Context(), "test", time.Minute)
	w.must(err)
	if err := w.runner.Loop.Advance(t.Context(), claimed); err == nil {
		t.Fatal("the process did not die")
	}
	w.holds("page.md", "new\n")
	w.restart()
	if run = w.together(run.ID); run.Status != agent.StatusFinished {
		t.Errorf("the run is %s", run.Status)
	}
}
