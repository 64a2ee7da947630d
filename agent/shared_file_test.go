package agent_test

import (
	"fmt"
	"testing"
	"time"

	"fusebox/agent"
)

// TestKnownFilesAreBounded: what a run has only read is forgotten before what it has written.
func TestKnownFilesAreBounded(t *testing.T) {
	t.Parallel()
	var known agent.KnownFiles
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	known = known.With(agent.FileUse{Path: "written", Version: "v", Wrote: true}, at, at.Add(time.Second))
	for i := range 1000 {
		known = known.With(agent.FileUse{Path: fmt.Sprint("read", i), Version: "v"}, at, at)
	}
	if f := known.Of("written"); len(known) != 200 || f.Version != "v" || !f.SeenAt.Equal(at) || !f.WroteAt.Equal(at.Add(time.Second)) {
		t.Errorf("%d files are known, of the written one %+v", len(known), f)
	}
	if f := known.Of("read0"); f.Version != "" {
		t.Errorf("the oldest is still known: %+v", f)
	}
	if f := known.Of("read999"); f.Version != "v" || !f.WroteAt.IsZero() {
		t.Errorf("of the newest is known: %+v", f)
	}
	known = known.With(agent.FileUse{Path: "written", Wrote: true}, at.Add(time.Minute), at.Add(time.Minute))
	if f := known.Of("written"); f.Version != "v" || !f.SeenAt.Equal(at) || !f.WroteAt.Equal(at.Add(time.Minute)) {
		t.Errorf("after an edit of a part is known: %+v", f)
	}
}
