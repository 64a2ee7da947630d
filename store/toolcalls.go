package store

import (
	"context"
	"fmt"
	"slices"

	"fusebox/agent"
	"fusebox/store/readable"
	"fusebox/store/sqlite"
)

const callColumns = `run_id, id, conversation_id, message_id, step, idx, name, args, args_hash, state, result, result_hash,
	error_type, truncated, blocked, rule, attempt, generation, tokens, cost_micros, started_at, ended_at, source, schema_hash, process, images`

func scanCall(r sqlite.Scanner) (agent.ToolCall, error) {
	var c agent.ToolCall
	var rule, images string
	var started, ended int64
	err := r.Scan(&c.RunID, &c.ID, &c.ConversationID, &c.MessageID, &c.Step, &c.Index, &c.Name, &c.Args, &c.ArgsHash,
		&c.State, &c.Result, &c.ResultHash, &c.ErrorType, &c.Truncated, &c.Blocked, &rule, &c.Attempt, &c.Generation,
		&c.Tokens, &c.CostMicros, &started, &ended, &c.Source, &c.SchemaHash, &c.Process, &images)
	c.Authority = agent.ParseAuthority(rule)
	c.StartedAt, c.EndedAt = sqlite.FromMS(started), sqlite.FromMS(ended)
	if err != nil {
		return c, err
	}
	return c, fromJSON(images, &c.Images)
}

func toolCallsOf(ctx context.Context, from sqlite.Reader, runID string) ([]agent.ToolCall, error) {
	return sqlite.List(ctx, from, scanCall, `SELECT `+callColumns+` FROM tool_calls WHERE run_id = $1 ORDER BY step, idx`, runID)
}

// RecentCalls are the newest calls of a tool that were started, in a person's runs, newest
// first.
func (s *Runs) RecentCalls(ctx context.Context, userID, tool string, limit int) ([]agent.ToolCall, error) {
	return sqlite.List(ctx, s.db, scanCall, recentCalls, userID, tool, limit)
}

const recentCalls = `SELECT ` + callColumns + ` FROM tool_calls WHERE user_id = $1 AND name = $2 AND started_at > 0
	ORDER BY started_at DESC LIMIT $3`

// TreeCalls are the newest calls of a tree of runs, in the order in which they began; see
// agent.Journal.
func (s *Journal) TreeCalls(ctx context.Context, rootRunID string, limit int) ([]agent.TreeCall, error) {
	calls, err := sqlite.List(ctx, s.db, scanTreeCall, treeCalls, rootRunID, limit)
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

func scanTreeCall(r sqlite.Scanner) (c agent.TreeCall, err error) {
	c.ToolCall, err = scanCall(further{r, []any{&c.Agent, &c.ParentRunID, &c.ParentStep}})
	return c, err
}

// further scans more columns behind those of a row that is known.
type further struct {
	sqlite.Scanner
	more []any
}

func (f further) Scan(to ...any) error { return f.Scanner.Scan(append(to, f.more...)...) }

// changeCalls inserts calls or moves them on; a row that is not in the expected state
// refuses the whole change. Moves of one call that follow each other are one write.
func changeCalls(t *sqlite.Tx, changes []agent.CallChange) error {
	from := map[string]agent.CallState{} // before the moves that are not written yet
	for i, change := range changes {
		if err := mayMove(t, change); err != nil {
			return err
		}
		if err := readable.NoteDocuments(t, change); err != nil {
			return err
		}
		id := change.Call.ID
		first, chained := from[id]
		if chained {
			change.From = first
		}
		if follows(change.Call, changes[i+1:]) {
			from[id] = change.From
			continue
		}
		delete(from, id)
		if err := writeCall(t, change.From, change.Call); err != nil {
			return err
		}
	}
	return nil
}

// follows reports whether the next change of a call goes on from its state.
func follows(c agent.ToolCall, next []agent.CallChange) bool {
	i := slices.IndexFunc(next, func(n agent.CallChange) bool { return n.Call.ID == c.ID })
	return i >= 0 && next[i].From == c.State
}

// mayMove checks that a change is legal, and a claim that it is still allowed.
func mayMove(t *sqlite.Tx, change agent.CallChange) error {
	if !change.Legal() {
		return fmt.Errorf("tool call %s cannot go from %q to %q by %q", change.Call.ID, change.From, change.Call.State, change.Event)
	}
	if change.Event == agent.CallClaimed {
		return stillStands(t, change)
	}
	return nil
}

// writeCall writes a call whose row is in a state, "" for none.
func writeCall(t *sqlite.Tx, from agent.CallState, c agent.ToolCall) error {
	images, err := imagesText(c.Images)
	if err != nil {
		return err
	}
	if from == "" {
		_, err := t.Exec(`INSERT INTO tool_calls (`+callColumns+`, user_id)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
				user_id FROM runs WHERE id = $1`,
			c.RunID, c.ID, c.ConversationID, c.MessageID, c.Step, c.Index, c.Name, c.Args, c.ArgsHash, c.State, c.Result,
			c.ResultHash, c.ErrorType, c.Truncated, c.Blocked, c.Authority.String(), c.Attempt, c.Generation, c.Tokens, c.CostMicros,
			sqlite.MS(c.StartedAt), sqlite.MS(c.EndedAt), c.Source, c.SchemaHash, c.Process, images)
		return err
	}
	if from == agent.CallExecuting && c.State.Ended() {
		return endCall(t, c, images)
	}
	n, err := t.Exec(`UPDATE tool_calls SET args = $1, args_hash = $2, state = $3, result = $4, result_hash = $5,
		error_type = $6, truncated = $7, blocked = $8, rule = $9, attempt = $10, generation = $11, started_at = $12, ended_at = $13,
		source = $14, schema_hash = $15, process = $16, images = $17 WHERE run_id = $18 AND id = $19 AND state = $20`,
		c.Args, c.ArgsHash, c.State, c.Result, c.ResultHash, c.ErrorType, c.Truncated, c.Blocked, c.Authority.String(), c.Attempt,
		c.Generation, sqlite.MS(c.StartedAt), sqlite.MS(c.EndedAt), c.Source, c.SchemaHash, c.Process, images, c.RunID, c.ID, from)
	return moved(n, err)
}

// endCall writes the result of a call that was executed, and nothing that its claim
// has written: when it started is in an index.
func endCall(t *sqlite.Tx, c agent.ToolCall, images string) error {
	n, err := t.Exec(`UPDATE tool_calls SET state = $1, result = $2, result_hash = $3, error_type = $4, truncated = $5, ended_at = $6, images = $7
		WHERE run_id = $8 AND id = $9 AND state = 'executing'`,
		c.State, c.Result, c.ResultHash, c.ErrorType, c.Truncated, sqlite.MS(c.EndedAt), images, c.RunID, c.ID)
	return moved(n, err)
}

// moved is the error of a write that has found no row in the expected state.
func moved(rows int64, err error) error {
	if err == nil && rows == 0 {
		return agent.Errorf(agent.Conflict, "The tool call has already moved on.")
	}
	return err
}

// stillStands checks, in the transaction of a claim, what lets the call run: who
// approved it still has the right to, the scope or rule it came under was not
// revoked. ErrRevoked where it no longer holds.
func stillStands(t *sqlite.Tx, change agent.CallChange) error {
	var stands bool
	var err error
	switch by := change.Call.Authority; {
	case by.ApprovalID() != "":
		stands, err = approvalStands(t, by.ApprovalID(), change.Call.RunID)
	case by.RuleID() != "":
		err = t.Row(`SELECT EXISTS (SELECT 1 FROM policy_rules WHERE `+ruleInForce+` AND id = $2)`,
			sqlite.MS(t.Clock.Now()), by.RuleID()).Scan(&stands)
	default:
		return nil
	}
	if err == nil && !stands {
		err = agent.ErrRevoked
	}
	return err
}

// approvalStands reports whether a decided approval still lets calls run: it was
// not revoked, and each of those who approved is enabled and a reviewer or admin,
// or, for what is of low or medium risk, the conversation's owner.
func approvalStands(t *sqlite.Tx, id, runID string) (bool, error) {
	a, err := scanApproval(t.Row(`SELECT `+approvalColumns+approvalFrom+`WHERE a.id = $1`, id))
	if err != nil {
		return false, sqlite.NotFound(err, "The approval of run %s is gone.", runID)
	}
	if a.Status != agent.ApprovalDecided || !a.RevokedAt.IsZero() {
		return false, nil
	}
	for _, v := range a.Votes {
		var may bool
		err := t.Row(`SELECT EXISTS (SELECT 1 FROM users WHERE email = $1 AND NOT disabled AND (role IN ('reviewer', 'admin') OR (id = $2 AND $3)))`,
			v.By, a.OwnerID, a.Risk.AtMost(agent.RiskMedium)).Scan(&may)
		if err != nil || !may {
			return false, err
		}
	}
	return true, nil
}

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

// UnendedCalls are the calls without a result, of runs that have not ended.
func (s *Runs) UnendedCalls(ctx context.Context) ([]agent.ToolCall, error) {
	return sqlite.List(ctx, s.db, scanCall, `SELECT `+callColumns+` FROM tool_calls
		WHERE run_id IN `+openRuns+` AND state NOT IN ('success', 'error', 'cancelled')`)
}
