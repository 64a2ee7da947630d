package store

import (
	"context"

	"fusebox/agent"
)

// OpenRuns counts the runs that have not ended by status.
func (s *Runs) OpenRuns(ctx context.Context) ([]agent.OpenRuns, error) {
	return list(ctx, s.read, func(r scanner) (agent.OpenRuns, error) {
		var n agent.OpenRuns
		err := r.Scan(&n.Status, &n.Count)
		return n, err
	}, `SELECT status, COUNT(*) FROM runs WHERE `+openRun+` GROUP BY status`)
}

// openRun is the condition of a run that has not ended, as its index has it.
const openRun = `status IN ('queued', 'running', 'paused')`

// UnendedRuns are all runs that have not ended.
func (s *Runs) UnendedRuns(ctx context.Context) ([]agent.Run, error) {
	return list(ctx, s.read, scanRun, `SELECT `+runColumns+` FROM runs r WHERE r.`+openRun)
}

// UnendedCalls are the calls without a result, of runs that have not ended.
func (s *Runs) UnendedCalls(ctx context.Context) ([]agent.ToolCall, error) {
	return list(ctx, s.read, scanCall, `SELECT `+callColumns+` FROM tool_calls
		WHERE run_id IN (SELECT id FROM runs WHERE `+openRun+`) AND state NOT IN ('success', 'error', 'cancelled')`)
}
