package store

import (
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

const stepColumns = `run_id, step, kind, conversation_id, user_id, model, input_tokens, cached_tokens, output_tokens,
	reasoning_tokens, estimated, cost_micros, finish_reason, started_at, ended_at, group_name, provider, request_id, tools, priced, named_micros`

// insertStep adds a line to the bill and to its sums.
func insertStep(t *sqlite.Tx, s agent.Step, reservationID string) error {
	s.Tools = slices.Clone(s.Tools)
	starts, err := markFirsts(t, &s)
	if err != nil {
		return err
	}
	tools := ""
	if len(s.Tools) > 0 {
		if tools, err = toJSON(s.Tools); err != nil {
			return err
		}
	}
	_, err = t.Exec(`INSERT INTO usage (`+stepColumns+`, reservation_id, starts_run, starts_model)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
			$16, $17, $18, $19, $20, $21, $22, $23, $24)`,
		s.RunID, s.N, s.Kind, s.ConversationID, s.UserID, s.Model, s.Usage.InputTokens, s.Usage.CachedTokens, s.Usage.OutputTokens,
		s.Usage.ReasoningTokens, s.Usage.Estimated, s.CostMicros, s.FinishReason, sqlite.MS(s.StartedAt), sqlite.MS(s.EndedAt),
		s.GroupName, s.Provider, s.RequestID, tools, !s.Unpriced, s.NamedMicros, reservationID, starts.run, starts.model)
	if err != nil {
		return err
	}
	return addToSums(t, s, starts)
}

// Steps lists a run's lines in the ledger.
func (s *Ledger) Steps(ctx context.Context, runID string) ([]agent.Step, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.Step, error) {
		var st agent.Step
		var started, ended int64
		var tools string
		var priced bool
		err := r.Scan(&st.RunID, &st.N, &st.Kind, &st.ConversationID, &st.UserID, &st.Model, &st.Usage.InputTokens,
			&st.Usage.CachedTokens, &st.Usage.OutputTokens, &st.Usage.ReasoningTokens, &st.Usage.Estimated,
			&st.CostMicros, &st.FinishReason, &started, &ended, &st.GroupName, &st.Provider, &st.RequestID, &tools, &priced, &st.NamedMicros)
		if err != nil {
			return st, err
		}
		st.StartedAt, st.EndedAt, st.Unpriced = sqlite.FromMS(started), sqlite.FromMS(ended), !priced
		return st, fromJSON(tools, &st.Tools)
	}, `SELECT `+stepColumns+` FROM usage WHERE run_id = $1 ORDER BY step, kind`, runID)
}
