package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/sources"
	"fusebox/store/readable"
	"fusebox/store/sqlite"
)

const callColumns = `run_id, id, conversation_id, message_id, step, idx, name, args, args_hash, state, result, result_hash,
	error_type, truncated, blocked, rule, attempt, generation, tokens, cost_micros, started_at, ended_at, source, schema_hash, process, images`

func scanCall(r sqlite.Scanner) (c agent.ToolCall, err error) {
	var rule, images string
	err = r.Scan(&c.RunID, &c.ID, &c.ConversationID, &c.MessageID, &c.Step, &c.Index, &c.Name, &c.Args, &c.ArgsHash,
		&c.State, &c.Result, &c.ResultHash, &c.ErrorType, &c.Truncated, &c.Blocked, &rule, &c.Attempt, &c.Generation,
		&c.Tokens, &c.CostMicros, sqlite.Time(&c.StartedAt), sqlite.Time(&c.EndedAt), &c.Source, &c.SchemaHash, &c.Process, &images)
	c.Authority = agent.ParseAuthority(rule)
	err = cmp.Or(err, fromJSON(images, &c.Images))
	return c, err
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

// changeCalls inserts calls or moves them on; a row that is not in the expected state
// refuses the whole change. Moves of one call that follow each other are one write.
func changeCalls(t *sqlite.Tx, changes []agent.CallChange) error {
	from := map[string]agent.CallState{} // before the moves that are not written yet
	for i, change := range changes {
		if !change.Legal() {
			return fmt.Errorf("tool call %s cannot go from %q to %q by %q", change.Call.ID, change.From, change.Call.State, change.Event)
		}
		if change.Event == agent.CallClaimed {
			if err := stillStands(t, change); err != nil {
				return err
			}
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

// writeCall writes a call whose row is in a state, "" for none.
func writeCall(t *sqlite.Tx, from agent.CallState, c agent.ToolCall) error {
	images, err := partJSON(c.Images, len(c.Images))
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

// UnendedCalls are the calls without a result, of runs that have not ended.
func (s *Runs) UnendedCalls(ctx context.Context) ([]agent.ToolCall, error) {
	return sqlite.List(ctx, s.db, scanCall, `SELECT `+callColumns+` FROM tool_calls
		WHERE run_id IN `+openRuns+` AND state NOT IN ('success', 'error', 'cancelled')`)
}

// ToolCalls lists a run's calls in the order of steps and of each answer, with their results as
// they may be read now.
func (s *Runs) ToolCalls(ctx context.Context, runID string) ([]agent.ToolCall, error) {
	calls, err := toolCallsOf(ctx, s.db, runID)
	if err != nil || len(calls) == 0 {
		return nil, err
	}
	closed, err := readable.Closed(ctx, s.db, calls[0].ConversationID)
	for i, c := range calls {
		calls[i].Result = sources.Without(c.Result, closed[agent.CallID{RunID: c.RunID, CallID: c.ID}])
	}
	return calls, err
}

// PastRuns reads the runs that were created in a span of time, From included,
// To not, oldest first, with their calls and answers, and hands them over one
// by one. At most maxCalls calls are read; more is true where some were left.
func (s *Runs) PastRuns(ctx context.Context, from, to time.Time, maxCalls int, each func(agent.PastRun)) (more bool, err error) {
	runs, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (p agent.PastRun, err error) {
		var text string
		var state agent.RunState
		if err = r.Scan(&p.ID, &p.ConversationID, &p.Title, &p.OwnerEmail, &p.Steps, sqlite.Time(&p.CreatedAt), &text); err == nil {
			err = fromJSON(text, &state)
		}
		p.Compacted = state.Compacted
		return p, err
	}, `SELECT r.id, r.conversation_id, c.title, u.email, r.steps, r.created_at, r.state
		FROM runs r JOIN conversations c ON c.id = r.conversation_id JOIN users u ON u.id = r.user_id
		WHERE r.created_at >= $1 AND r.created_at < $2 ORDER BY r.created_at, r.id`, sqlite.MS(from), sqlite.MS(to))
	if err != nil {
		return false, err
	}
	read := 0
	for _, p := range runs {
		if read >= maxCalls {
			return true, nil
		}
		if p.Calls, err = toolCallsOf(ctx, s.db, p.ID); err != nil {
			return false, err
		}
		if p.Answers, err = s.answers(ctx, p.ID); err != nil {
			return false, err
		}
		read += len(p.Calls)
		each(p)
	}
	return false, nil
}
