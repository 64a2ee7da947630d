package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

func insertVerdict(t *sqlite.Tx, v agent.VerdictRecord) error {
	calls, err := toJSON(v.Calls)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO guard_verdicts (`+verdictColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		v.ID, v.RunID, v.ConversationID, v.Step, v.CallID, v.Tool, v.Detector, v.Level, v.Off, v.Count, v.Threshold, v.Message,
		calls, v.Tokens, v.CostMicros, v.SavedTokens, v.SavedMicros, sqlite.MS(v.At))
	return err
}

const verdictColumns = `id, run_id, conversation_id, step, tool_call_id, tool_name, detector, level, is_off, count, threshold,
	message, calls, tokens, cost_micros, saved_tokens, saved_micros, at`

// Verdicts lists what the guards said in a run, oldest first.
func (s *Guards) Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.VerdictRecord, error) {
		var v agent.VerdictRecord
		var calls string
		var at int64
		err := r.Scan(&v.ID, &v.RunID, &v.ConversationID, &v.Step, &v.CallID, &v.Tool, &v.Detector, &v.Level, &v.Off, &v.Count,
			&v.Threshold, &v.Message, &calls, &v.Tokens, &v.CostMicros, &v.SavedTokens, &v.SavedMicros, &at)
		if err != nil {
			return v, err
		}
		v.At = sqlite.FromMS(at)
		return v, fromJSON(calls, &v.Calls)
	}, `SELECT `+verdictColumns+` FROM guard_verdicts WHERE run_id = $1 ORDER BY id`, runID)
}

// GuardStats sums what the detectors said between two instants, by detector.
func (s *Guards) GuardStats(ctx context.Context, from, to time.Time) ([]agent.GuardStat, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.GuardStat, error) {
		var g agent.GuardStat
		err := r.Scan(&g.Detector, &g.Warnings, &g.Pauses, &g.Stops, &g.Off, &g.Tokens, &g.CostMicros, &g.SavedTokens, &g.SavedMicros)
		return g, err
	}, `SELECT v.detector,
		COALESCE(SUM(CASE WHEN v.level = 'warning' AND NOT v.is_off THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN v.level = 'critical' AND NOT v.is_off THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN v.level = 'breaker' AND NOT v.is_off THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN v.level <> 'pass' AND v.is_off THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN `+ended+` THEN v.tokens ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN `+ended+` THEN v.cost_micros ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN `+ended+` THEN v.saved_tokens ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN `+ended+` THEN v.saved_micros ELSE 0 END), 0)
		FROM guard_verdicts v JOIN runs r ON r.id = v.run_id
		WHERE v.at >= $1 AND v.at < $2 GROUP BY v.detector ORDER BY v.detector`, sqlite.MS(from), sqlite.MS(to))
}

// ended is true for the verdict that ended its run: a breaker, or a pause after which
// the run made no step more, because nobody has resumed it, or somebody has ended it. Of
// several in one step the first is the one that spoke.
const ended = `NOT v.is_off AND v.level IN ('critical', 'breaker') AND r.steps = v.step AND r.status NOT IN ('queued', 'running')
	AND v.id = (SELECT MIN(w.id) FROM guard_verdicts w WHERE w.run_id = v.run_id AND NOT w.is_off AND w.level IN ('critical', 'breaker')
		AND w.step = (SELECT MAX(x.step) FROM guard_verdicts x WHERE x.run_id = v.run_id AND NOT x.is_off AND x.level IN ('critical', 'breaker')))`
