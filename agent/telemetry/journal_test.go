package telemetry_test

import (
	"testing"
	"time"
)

func TestCommitsAreCounted(t *testing.T) {
	m := start(t, &fakeStore{})
	m.Committed(3, 2, time.Millisecond)
	if n := testing.AllocsPerRun(10, func() { m.Committed(1, 5, 2*time.Millisecond) }); n > 0 {
		t.Errorf("a commit allocates %v times", n)
	}
	for name, want := range map[string]float64{
		"fusebox_journal_commits_total": 12, "fusebox_journal_group_size": 12, "fusebox_journal_commit_seconds": 12, "fusebox_journal_queue_length": 5,
	} {
		if got := family(t, m, name)[""]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
