package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store/storetest"
)

// TestPartsOfALog: a part begins and ends with runs, and brings along the approvals of
// other runs that cover calls of the conversation.
func TestPartsOfALog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	s := open(t, path, agenttest.NewClock(), nil)
	check(t, storetest.History{Runs: 40, Conversations: 1, Users: 1, Days: 1, End: time.Now()}.Fill(t.Context(), path))
	check(t, s.Exec(`UPDATE approvals SET scope = 'conversation' WHERE run_id = 'run-9'`))
	check(t, s.Exec(`UPDATE events SET type = 'notice', data = '{"message":"revoked"}' WHERE run_id = 'run-9' AND step = 1 AND type = 'step-start'`))
	for name, c := range map[string]struct {
		part                agent.LogPart
		from, first, last   int64
		events, coverEvents int
	}{
		"the newest":         {agent.LogPart{Messages: 9}, 361, 361, 400, 40, 1},
		"more than there is": {agent.LogPart{Messages: 1000}, 1, 1, 400, 400, 0},
		"before a run":       {agent.LogPart{Before: 201, Messages: 6}, 171, 171, 200, 30, 1},
		"within a run":       {agent.LogPart{Before: 195, Messages: 3}, 181, 181, 200, 20, 1},
		"to the end":         {agent.LogPart{Before: 396, ToEnd: true}, 391, 391, 400, 10, 1},
		"with the cover":     {agent.LogPart{Before: 121, Messages: 9}, 81, 81, 120, 40, 0},
	} {
		got, err := s.Transcript(t.Context(), "conversation-0", c.part)
		check(t, err)
		n := len(got.Events)
		if n != c.events || got.From != c.from || got.Events[0].Seq != c.first || got.Events[n-1].Seq != c.last || len(got.Covers) != c.coverEvents {
			t.Errorf("%s: %d events from %d (%d to %d) and %d covers", name, n, got.From, got.Events[0].Seq, got.Events[n-1].Seq, len(got.Covers))
		}
	}
}
