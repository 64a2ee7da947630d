package store

import (
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/agent/sources"
	"fusebox/store/readable"
	"fusebox/store/sqlite"
)

// TreeCalls are the newest calls of a tree of runs, in the order in which they began; see
// agent.Journal.
func (s *Journal) TreeCalls(ctx context.Context, rootRunID string, limit int) ([]agent.TreeCall, error) {
	calls, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (c agent.TreeCall, err error) {
		c.ToolCall, err = scanCall(beside{r, []any{&c.Agent, &c.ParentRunID, &c.ParentStep}})
		return c, err
	}, treeCalls, rootRunID, limit)
	slices.Reverse(calls)
	return calls, err
}

// began is when a call was made, or else was refused. The breakers need no more of what is
// long than its first bytes, and its fingerprint.
const (
	began     = `CASE WHEN started_at > 0 THEN started_at ELSE ended_at END`
	treeCalls = `WITH tree AS (SELECT r.id, r.agent, r.parent_run_id, r.parent_call_id FROM runs r WHERE ` + ofTree + `),
		newest AS (
			SELECT run_id AS run, id AS call, ` + began + ` AS at, step AS nth, idx AS i FROM tool_calls
			WHERE run_id IN (SELECT id FROM tree) AND state IN ('success', 'error', 'cancelled', 'executing')
			ORDER BY at DESC, run DESC, nth DESC, i DESC LIMIT $2
		)
		SELECT c.run_id, c.id, c.conversation_id, c.message_id, c.step, c.idx, c.name, SUBSTR(c.args, 1, 4096), c.args_hash, c.state,
			SUBSTR(c.result, 1, 8192), c.result_hash, c.error_type, c.truncated, c.blocked, c.rule, c.attempt, c.generation, c.tokens,
			c.cost_micros, c.started_at, c.ended_at, c.source, c.schema_hash, c.process, c.images, r.agent, r.parent_run_id, COALESCE(p.step, 0)
		FROM newest CROSS JOIN tool_calls c ON c.run_id = run AND c.id = call CROSS JOIN tree r ON r.id = run
			LEFT JOIN tool_calls p ON p.run_id = r.parent_run_id AND p.id = r.parent_call_id
		ORDER BY at DESC, run DESC, nth DESC, i DESC`
)

// CallsAtWork are the calls of a tree that are executing or uncertain; see agent.Journal.
func (s *Journal) CallsAtWork(ctx context.Context, rootRunID string) ([]agent.ToolCall, error) {
	return sqlite.List(ctx, s.db, scanCall, callsAtWork, rootRunID)
}

// callsAtWork reads the newest answers alone: no older one has a call without a result.
const callsAtWork = `SELECT ` + callColumns + ` FROM tool_calls WHERE (run_id, id) IN (SELECT c.run_id, c.id FROM runs r CROSS JOIN tool_calls c
	WHERE ` + ofTree + ` AND c.run_id = r.id AND c.step >= r.steps AND c.state IN ('executing', 'uncertain'))`

// MadeInVain looks for a call among those of ended runs of a tree; see agent.Journal.
func (s *Journal) MadeInVain(ctx context.Context, run agent.Run, c agent.ToolCall) (made bool, err error) {
	err = s.db.QueryRowContext(ctx, madeInVain, run.RootID(), run.ID, c.Name, c.ArgsHash).Scan(&made)
	return made, err
}

const madeInVain = `SELECT EXISTS (SELECT 1 FROM runs r CROSS JOIN tool_calls c WHERE ` + ofTree + ` AND r.id <> $2
	AND r.status IN ('stopped', 'failed', 'aborted') AND c.run_id = r.id AND c.name = $3 AND c.args_hash = $4 AND c.started_at > 0)`

// Answer is the last text of a run of a tree; see agent.Journal.
func (s *Journal) Answer(ctx context.Context, rootRunID, runID, value string) (agent.Answer, error) {
	run, err := scanRun(s.db.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs r WHERE `+ofTree+` AND r.id = $2`, rootRunID, runID))
	if err != nil {
		return agent.Answer{}, sqlite.NotFound(err, "There is no such run among those of this task.")
	}
	// What a run has read is known once it has ended.
	answer := agent.Answer{Agent: run.WorksBy(), Untrusted: run.State.Untrusted || !run.Status.Ended()}
	said, err := answerOf(ctx, s.db, run.ID)
	if err != nil {
		return agent.Answer{}, err
	}
	if answer.Citations = said.Citations; value == "" {
		answer.Text = sources.Handed(said)
		return answer, nil
	}
	delivered, ok := run.State.Values[value]
	if !ok {
		return agent.Answer{}, agent.Errorf(agent.NotFound, "This run has delivered no value %q.", agent.Clip(value, 100))
	}
	answer.Text = string(sources.HandedValue(delivered, said.Citations))
	return answer, nil
}

// AnswerBranch is what is behind the last text of a run; see agent.Journal.
func (s *Journal) AnswerBranch(ctx context.Context, conversationID, runID string) ([]agent.Message, error) {
	said, err := answerOf(ctx, s.db, runID)
	if err != nil {
		return nil, err
	}
	return readBranch(ctx, s.db, conversationID, said.ID, "")
}

// OpenBudgetCard is the approval about money that a run waits for, or has still to apply; see agent.Journal.
func (s *Journal) OpenBudgetCard(ctx context.Context, runID string) (id string, err error) {
	err = s.db.QueryRowContext(ctx, openBudgetCard, runID).Scan(&id)
	return id, sqlite.OrNone(err)
}

// CallDocuments are the documents that the calls of a conversation have read, as open to its
// owner as they are now. The caller has checked the viewer.
func (s *Journal) CallDocuments(ctx context.Context, conversationID string) ([]agent.CallDocument, error) {
	return readable.CallDocuments(ctx, s.db, conversationID)
}
