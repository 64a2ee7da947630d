package store

import (
	"context"
	"fmt"

	"fusebox/agent"
)

const callColumns = `run_id, id, conversation_id, message_id, step, idx, name, args, args_hash, state, result, result_hash,
	error_type, truncated, blocked, rule, attempt, generation, tokens, cost_micros, started_at, ended_at`

func scanCall(r scanner) (agent.ToolCall, error) {
	var c agent.ToolCall
	var started, ended int64
	err := r.Scan(&c.RunID, &c.ID, &c.ConversationID, &c.MessageID, &c.Step, &c.Index, &c.Name, &c.Args, &c.ArgsHash,
		&c.State, &c.Result, &c.ResultHash, &c.ErrorType, &c.Truncated, &c.Blocked, &c.Rule, &c.Attempt, &c.Generation,
		&c.Tokens, &c.CostMicros, &started, &ended)
	c.StartedAt, c.EndedAt = fromMS(started), fromMS(ended)
	return c, err
}

// ToolCalls lists a run's calls in the order of steps and of each answer.
func (s *Store) ToolCalls(ctx context.Context, runID string) ([]agent.ToolCall, error) {
	return list(ctx, s, scanCall, `SELECT `+callColumns+` FROM tool_calls WHERE run_id = $1 ORDER BY step, idx`, runID)
}

// changeCall inserts a call or moves it on; a row that is not in the expected
// state refuses the whole entry.
func changeCall(t *tx, change agent.CallChange) error {
	c := change.Call
	if !change.From.CanBecome(c.State) {
		return fmt.Errorf("tool call %s cannot go from %q to %q", c.ID, change.From, c.State)
	}
	if change.From == "" {
		_, err := t.exec(`INSERT INTO tool_calls (`+callColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
			c.RunID, c.ID, c.ConversationID, c.MessageID, c.Step, c.Index, c.Name, c.Args, c.ArgsHash, c.State, c.Result,
			c.ResultHash, c.ErrorType, c.Truncated, c.Blocked, c.Rule, c.Attempt, c.Generation, c.Tokens, c.CostMicros,
			ms(c.StartedAt), ms(c.EndedAt))
		return err
	}
	n, err := t.exec(`UPDATE tool_calls SET args = $1, args_hash = $2, state = $3, result = $4, result_hash = $5,
		error_type = $6, truncated = $7, blocked = $8, rule = $9, attempt = $10, generation = $11, started_at = $12, ended_at = $13
		WHERE run_id = $14 AND id = $15 AND state = $16`,
		c.Args, c.ArgsHash, c.State, c.Result, c.ResultHash, c.ErrorType, c.Truncated, c.Blocked, c.Rule, c.Attempt,
		c.Generation, ms(c.StartedAt), ms(c.EndedAt), c.RunID, c.ID, change.From)
	if err == nil && n == 0 {
		err = agent.Errorf(agent.Conflict, "The tool call has moved on already.")
	}
	return err
}
