package main

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/store"
	"fusebox/store/storetest"
)

// TestLearner: the runs that decisions are about are replayed, and where the
// time is up the answer says that it is not whole.
func TestLearner(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), store.Options{
		Path: storetest.Migrated(t, filepath.Join(t.TempDir(), "fusebox.db")), Clock: agent.SystemClock{}, NewID: newID, Logger: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	q := agent.LearningQuery{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		pastRun(t, db, name, 9)
		q.Decisions = append(q.Decisions, agent.LoopDecision{Approval: agent.Approval{
			RunID: "run " + name, Kind: agent.KindLoop, ToolName: "look", NotLoop: true, Evidence: json.RawMessage(`{"detector":"generic_repeat","count":8,"threshold":8}`),
		}})
	}
	noSpecs := func() []agent.ToolSpec { return nil }
	found, err := learner(db, agent.DefaultGuardSettings(), noSpecs, time.Minute)(t.Context(), q)
	must(t, err)
	if found.Runs != 5 || found.More || len(found.Suggestions) != 1 || found.Suggestions[0].Rule.Critical != 10 || len(found.Suggestions[0].Spared) != 5 {
		t.Errorf("found %+v", found)
	}
	cut, err := learner(db, agent.DefaultGuardSettings(), noSpecs, 0)(t.Context(), q)
	if err != nil || !cut.More || len(cut.Suggestions) != 0 {
		t.Errorf("out of time: %+v, %v", cut, err)
	}
	q.Decisions = q.Decisions[:4]
	few, err := learner(db, agent.DefaultGuardSettings(), noSpecs, time.Minute)(t.Context(), q)
	if err != nil || few.Runs != 0 || len(few.Tried) != 0 {
		t.Errorf("too few decisions: %+v, %v", few, err)
	}
}
