package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/sources"
	"fusebox/store/eventlog"
	"fusebox/store/readable"
	"fusebox/store/sqlite"
)

// Runs keeps runs as people ask for them, abort them and look at them, with their
// tool calls and the exchanges with models.
type Runs struct{ *core }

// Run returns a run to its owner, to admins, and to reviewers where it has an approval.
func (s *Runs) Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error) {
	return sqlite.One(s.db.QueryRowContext(ctx, `SELECT `+runColumns+`
		FROM runs r JOIN conversations c ON c.id = r.conversation_id
		WHERE r.id = $1 AND (c.owner_id = $2 OR $3 OR ($4 AND EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = r.id)))`,
		id, v.UserID, v.SeesAll(), v.Role.Reviews()), scanRun, agent.NoRun)
}

// ActiveRun returns the conversation's run that is queued, running or paused.
func (s *Runs) ActiveRun(ctx context.Context, conversationID string) (*agent.Run, error) {
	return sqlite.One(s.db.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs r
		WHERE r.conversation_id = $1 AND r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused')`, conversationID), scanRun,
		"No run of this conversation is active.")
}

// recentRuns reads of the conversations that a person has used last, so that it is not
// longer for people who have many.
const recentRuns = `SELECT ` + runColumns + ` FROM runs r WHERE r.id IN (
	SELECT id FROM runs WHERE parent_run_id = '' AND conversation_id IN (SELECT id FROM conversations WHERE owner_id = $1 ORDER BY updated_at DESC, id DESC LIMIT $2)
	ORDER BY id DESC LIMIT $2) ORDER BY r.id DESC`

// RecentRuns are the newest runs of a person, the newest first.
func (s *Runs) RecentRuns(ctx context.Context, userID string, limit int) ([]agent.Run, error) {
	return sqlite.List(ctx, s.db, scanRun, recentRuns, userID, limit)
}

const runColumns = `r.id, r.conversation_id, r.user_id, r.status, r.stop_reason, r.model, r.steps, r.usage, r.cost_micros,
	r.limits, r.state, r.active_ms, r.created_at, r.started_at, r.ended_at, r.owner, r.epoch, r.lease_until, r.wake_at, r.abort_by, r.takeover,
	r.parent_run_id, r.parent_call_id, r.root_run_id, r.depth, r.agent, r.agent_version, r.deleted_at`

func scanRun(r sqlite.Scanner) (run agent.Run, err error) {
	var usage, limits, state string
	var active int64
	err = r.Scan(&run.ID, &run.ConversationID, &run.UserID, &run.Status, &run.StopReason, &run.Model, &run.Steps,
		&usage, &run.CostMicros, &limits, &state, &active, sqlite.Time(&run.CreatedAt), sqlite.Time(&run.StartedAt), sqlite.Time(&run.EndedAt),
		&run.Owner, &run.Epoch, sqlite.Time(&run.LeaseUntil), sqlite.Time(&run.WakeAt), &run.AbortBy, &run.Takeover,
		&run.Lineage.ParentRunID, &run.Lineage.ParentCallID, &run.Lineage.RootRunID, &run.Lineage.Depth, &run.Agent, &run.AgentVersion,
		sqlite.Time(&run.DeletedAt))
	if err != nil {
		return run, err
	}
	run.Active = time.Duration(active) * time.Millisecond
	err = errors.Join(fromJSON(usage, &run.Usage), fromJSON(limits, &run.Limits), fromJSON(state, &run.State))
	return run, err
}

// returned are the columns behind RETURNING, which takes no table names everywhere.
var returned = strings.ReplaceAll(runColumns, "r.", "")

// updateRun writes a run that had a status. What only changes with the status is left
// out where that stays: SQLite writes the entry of an index whose columns are set,
// also where they are set to what they were.
func updateRun(t *sqlite.Tx, was agent.Status, r agent.Run) error {
	usage, err := toJSON(r.Usage)
	if err != nil {
		return err
	}
	limits, state, err := limitsAndState(r)
	if err != nil {
		return err
	}
	_, err = t.Exec(`UPDATE runs SET steps = $1, usage = $2, cost_micros = $3, limits = $4, state = $5, active_ms = $6, started_at = $7 WHERE id = $8`,
		r.Steps, usage, r.CostMicros, limits, state, int64(r.Active/time.Millisecond), sqlite.MS(r.StartedAt), r.ID)
	if err != nil || was == agent.StatusRunning && r.Status == agent.StatusRunning {
		return err
	}
	_, err = t.Exec(`UPDATE runs SET status = $1, stop_reason = $2, ended_at = $3, wake_at = $4 WHERE id = $5`,
		r.Status, r.StopReason, sqlite.MS(r.EndedAt), sqlite.MS(r.WakeAt), r.ID)
	return err
}

// limitsAndState encodes what is stored of a run as JSON from its beginning.
func limitsAndState(r agent.Run) (limits, state string, err error) {
	if limits, err = toJSON(r.Limits); err != nil {
		return "", "", err
	}
	state, err = toJSON(r.State)
	return limits, state, err
}

// OpenRuns counts the runs that have not ended by status.
func (s *Runs) OpenRuns(ctx context.Context) ([]agent.OpenRuns, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (n agent.OpenRuns, err error) {
		err = r.Scan(&n.Status, &n.Count)
		return n, err
	}, `SELECT status, COUNT(*) FROM runs WHERE id IN `+openRuns+` GROUP BY status`)
}

// openStatus is the condition of a run that has not ended, and openRuns are all of those by id:
// there is an index of the roots, and one of the children.
const (
	openStatus = `status IN ('queued', 'running', 'paused')`
	openRuns   = `(SELECT id FROM runs WHERE parent_run_id = '' AND ` + openStatus + ` UNION ALL SELECT id FROM runs WHERE parent_run_id <> '' AND ` + openStatus + `)`
)

// UnendedRuns are all runs that have not ended.
func (s *Runs) UnendedRuns(ctx context.Context) ([]agent.Run, error) {
	return sqlite.List(ctx, s.db, scanRun, `SELECT `+runColumns+` FROM runs r WHERE r.id IN `+openRuns)
}

// maxExchangeBytes bounds what is kept of one run's exchanges; the newest stay.
const maxExchangeBytes = 8 << 20

// AddExchange keeps an exchange with a model's endpoint, and lets go of the
// run's oldest ones where there is too much of them.
func (s *Runs) AddExchange(ctx context.Context, x agent.Exchange) error {
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		_, err := t.Exec(`INSERT INTO exchanges (id, run_id, at, url, request, status, response, cut, error)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			x.ID, x.RunID, sqlite.MS(x.At), x.URL, x.Request, x.Status, x.Response, x.Cut, x.Error)
		if err != nil {
			return err
		}
		_, err = t.Exec(`DELETE FROM exchanges WHERE id IN (SELECT id FROM (
			SELECT id, SUM(LENGTH(request) + LENGTH(response)) OVER (ORDER BY id DESC) AS bytes FROM exchanges WHERE run_id = $1
		) AS sums WHERE bytes > $2)`, x.RunID, maxExchangeBytes)
		return err
	})
}

func (s *Runs) answers(ctx context.Context, runID string) ([]agent.PastAnswer, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (a agent.PastAnswer, err error) {
		err = r.Scan(&a.MessageID, &a.Content)
		return a, err
	}, `SELECT id, content FROM messages WHERE run_id = $1 AND role = 'assistant' ORDER BY id`, runID)
}

// waitingRun is a run that no process works on, because it waits for a person.
const waitingRun = `SELECT ` + runColumns + ` FROM runs r WHERE r.id = $1 AND r.status = 'paused'`

// ChangePlan gives a run that waits a person's plan; see service.RunStore.
func (s *Runs) ChangePlan(ctx context.Context, runID, by string, steps []agent.PlanStep) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		run, err := scanRun(t.Row(waitingRun, runID))
		if agent.CodeOf(sqlite.NotFound(err, agent.NoRun)) == agent.NotFound {
			return agent.Errorf(agent.Conflict, "This run does not wait for a person now. Its plan can be changed while it does.")
		}
		if err != nil {
			return err
		}
		run.ChangePlan(by, steps)
		if err := updateRun(t, run.Status, run); err != nil {
			return err
		}
		told := agent.Event{RunID: run.ID, ParentRunID: run.Lineage.ParentRunID, Step: run.Steps, Data: agent.PlanEvent{Steps: steps}}
		if _, err := eventlog.Append(t, run.ConversationID, []agent.Event{told}); err != nil {
			return err
		}
		return addAudit(ctx, t, by, "run.plan", run.ID, string(agent.MustJSON(map[string]any{"conversation": run.ConversationID, "plan": steps})))
	})
}

// RunEvents are a run's part of the log as it may be read now, deltas of what is final left out.
func (s *Runs) RunEvents(ctx context.Context, runID string) ([]agent.Event, error) {
	events, err := eventlog.OfRun(ctx, s.db, runID)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	return readable.CitedEvents(ctx, s.db, events[0].ConversationID, events)
}

// Exchanges are those of a run, oldest first. A request that may have what is of closed documents
// is left out.
func (s *Runs) Exchanges(ctx context.Context, runID string) ([]agent.Exchange, error) {
	exchanges, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (x agent.Exchange, err error) {
		err = r.Scan(&x.ID, &x.RunID, sqlite.Time(&x.At), &x.URL, &x.Request, &x.Status, &x.Response, &x.Cut, &x.Error)
		return x, err
	}, `SELECT id, run_id, at, url, request, status, response, cut, error
		FROM exchanges WHERE run_id = $1 ORDER BY id`, runID)
	if err != nil || len(exchanges) == 0 {
		return nil, err
	}
	var conversationID string
	if err := s.db.QueryRowContext(ctx, `SELECT conversation_id FROM runs WHERE id = $1`, runID).Scan(&conversationID); err != nil {
		return nil, sqlite.NotFound(err, agent.NoRun)
	}
	closed, err := readable.Closed(ctx, s.db, conversationID)
	for i := range exchanges {
		if len(closed) > 0 {
			exchanges[i].Request = sources.Closed
		}
	}
	return exchanges, err
}

// existing finds what the same client id became before.
func existing(t *sqlite.Tx, p agent.NewMessage) (agent.Enqueued, error) {
	if p.ClientID == "" {
		return agent.Enqueued{}, nil
	}
	var done agent.Enqueued
	err := t.Row(`SELECT message_id, id FROM runs WHERE conversation_id = $1 AND client_id = $2`,
		p.ConversationID, p.ClientID).Scan(&done.MessageID, &done.RunID)
	done.Existing = err == nil
	return done, sqlite.OrNone(err)
}
