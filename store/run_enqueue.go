package store

import (
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// Enqueue stores a person's message and the run that answers it; see service.MessageStore.
// Full where the disk has no room for what the run will have to keep.
func (s *Runs) Enqueue(ctx context.Context, p agent.NewMessage) (agent.Enqueued, error) {
	var done agent.Enqueued
	var stored *started
	begins := s.readBeginning(ctx, p)
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) (err error) {
		if done, err = existing(t, p); err != nil || done.Existing {
			return err
		}
		if err := s.db.Room(); err != nil {
			return err
		}
		done = agent.Enqueued{MessageID: p.MessageID, RunID: p.RunID}
		stored, err = s.enqueue(t, p)
		return err
	})
	if err == nil && stored != nil {
		done.Started, done.Snapshot = &stored.run, begins().with(stored)
	}
	return done, err
}

// enqueue stores the message and its run. The run is returned where it starts at
// once: it is claimed then, and has begun.
func (c *core) enqueue(t *sqlite.Tx, p agent.NewMessage) (*started, error) {
	parent, err := parentOf(t, p)
	if err != nil {
		return nil, err
	}
	if err := c.mayAskMore(t, p.UserID); err != nil {
		return nil, err
	}
	run := newRun(t, p)
	start, err := c.startsAtOnce(t, p)
	if err != nil {
		return nil, err
	}
	if start {
		run.Status, run.StartedAt = agent.StatusRunning, run.CreatedAt
		run.Owner, run.Epoch, run.LeaseUntil = p.Claim.Owner, 1, run.CreatedAt.Add(p.Claim.Lease)
	}
	if err := insertRun(t, run, origin{p.TokenID, p.ClientID, p.MessageID}); err != nil {
		return nil, err
	}
	moved, err := moveQueue(t, p)
	if err != nil {
		return nil, err
	}
	m := agent.Message{
		ID: p.MessageID, ConversationID: p.ConversationID, ParentID: parent, Role: agent.FromUser,
		Content: p.Content, DocumentID: p.DocumentID, RunID: p.RunID, CreatedAt: run.CreatedAt,
	}
	if err := insertMessage(t, m); err != nil {
		return nil, err
	}
	if _, err := t.Exec(`UPDATE conversations SET leaf_id = $1, updated_at = $2 WHERE id = $3`, m.ID, sqlite.MS(m.CreatedAt), m.ConversationID); err != nil {
		return nil, err
	}
	if _, err := t.Exec(`UPDATE conversations SET title = $1 WHERE id = $2 AND title = ''`, p.Title, p.ConversationID); err != nil {
		return nil, err
	}
	events := []agent.Event{{RunID: p.RunID, Data: agent.MessageEvent{Message: m}}}
	if start {
		events = append(events, agent.Event{RunID: p.RunID, Data: run.Start("")})
	}
	if moved {
		told, err := toldQueue(t, p.ConversationID)
		if err != nil {
			return nil, err
		}
		events = append(events, told)
	}
	told, err := eventlog.Append(t, p.ConversationID, events)
	if err != nil || !start {
		return nil, err
	}
	return &started{run: run, message: m, title: p.Title, before: told[0].Seq - 1, after: told[len(told)-1].Seq}, nil
}

// newRun is the run that answers a message, queued.
func newRun(t *sqlite.Tx, p agent.NewMessage) agent.Run {
	state := agent.RunState{DocumentID: p.DocumentID, Outputs: p.Outputs, Purposes: p.Purposes, NoInstructions: p.NoInstructions}
	if p.Workflow != "" {
		state.Workflow = &agent.WorkflowRun{Name: p.Workflow, Version: p.WorkflowVersion, Inputs: p.WorkflowInputs}
	}
	return agent.Run{
		ID: p.RunID, ConversationID: p.ConversationID, UserID: p.UserID, Status: agent.StatusQueued, Model: p.Model, Agent: p.Agent, AgentVersion: p.AgentVersion,
		Limits: p.Limits, State: state, CreatedAt: agent.Stamp(t.Clock),
	}
}

// origin is what a run goes back to: the token that it was started with, "" for a browser,
// the client's name for its message, and the message.
type origin struct{ tokenID, clientID, messageID string }

func insertRun(t *sqlite.Tx, r agent.Run, from origin) error {
	limits, state, err := limitsAndState(r)
	if err != nil {
		return err
	}
	return t.ExecOr(agent.Wrap(agent.Conflict, agent.ErrActive,
		"A run of this conversation is still active. Wait until it finishes, stop it, or decide what it is waiting for."),
		`INSERT INTO runs (id, conversation_id, user_id, token_id, client_id, message_id, status, model, limits, state,
			created_at, started_at, owner, epoch, lease_until, agent, agent_version)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING`,
		r.ID, r.ConversationID, r.UserID, from.tokenID, from.clientID, from.messageID, r.Status, r.Model, limits, state,
		sqlite.MS(r.CreatedAt), sqlite.MS(r.StartedAt), r.Owner, r.Epoch, sqlite.MS(r.LeaseUntil), r.Agent, r.AgentVersion)
}

// parentOf resolves the message that p answers: a message of the same
// conversation, or its leaf. What child runs say is on branches of their own.
func parentOf(t *sqlite.Tx, p agent.NewMessage) (string, error) {
	var leaf string
	err := t.Row(`SELECT leaf_id FROM conversations WHERE id = $1 AND owner_id = $2`, p.ConversationID, p.UserID).Scan(&leaf)
	if err != nil {
		return "", sqlite.NotFound(err, agent.NoConversation)
	}
	switch p.ParentID {
	case "":
		return leaf, nil
	case agent.RootParent:
		return "", nil
	}
	parent := p.ParentID
	if p.Onward {
		if parent, err = onward(t, p, leaf); err != nil || parent == "" {
			return "", err
		}
	}
	var open bool
	err = t.Row(awaitsResult, parent, p.ConversationID).Scan(&open)
	switch {
	case agent.CodeOf(sqlite.NotFound(err, "none")) == agent.NotFound:
		return "", agent.InvalidField("parentId", "is not a message of this conversation")
	case err == nil && open:
		return "", agent.InvalidField("parentId", "is a message whose tool calls have no results yet; continue behind the last of them")
	}
	return parent, err
}

// onward is the message behind which one goes that was written under ParentID while a run worked there: the
// newest below it. What is written under an answer that is whole stays there, unless it has waited. The chosen
// branch takes the place of one that was deleted meanwhile.
func onward(t *sqlite.Tx, p agent.NewMessage, leaf string) (parent string, err error) {
	var whole bool
	err = t.Row(`SELECT role = 'assistant' AND tool_calls = '' FROM messages WHERE id = $1 AND conversation_id = $2`, p.ParentID, p.ConversationID).Scan(&whole)
	switch {
	case agent.CodeOf(sqlite.NotFound(err, noMessage)) == agent.NotFound && p.QueuedID != "":
		return leaf, nil
	case agent.CodeOf(sqlite.NotFound(err, noMessage)) == agent.NotFound, err == nil && whole && p.QueuedID == "":
		return p.ParentID, nil
	case err != nil:
		return "", err
	}
	err = t.Row(newestBelow, p.ParentID, p.ConversationID).Scan(&parent)
	if agent.CodeOf(sqlite.NotFound(err, noMessage)) == agent.NotFound { // of a child run
		return p.ParentID, nil
	}
	return parent, err
}

// awaitsResult says of message $1 whether it stands between the calls of an answer and the last
// of their results.
const awaitsResult = `WITH RECURSIVE up(id, parent_id, role, calls, n) AS (
		SELECT m.id, m.parent_id, m.role, m.tool_calls, 0 FROM messages m WHERE m.id = $1 AND m.conversation_id = $2 AND NOT ` + ofChild + `
		UNION ALL
		SELECT m.id, m.parent_id, m.role, m.tool_calls, up.n + 1 FROM up CROSS JOIN messages m WHERE m.id = up.parent_id AND up.role = 'tool'
	)
	SELECT CASE WHEN role = 'assistant' AND calls <> '' THEN json_array_length(calls) > n ELSE FALSE END FROM up WHERE role <> 'tool'`

// RequestAbort marks a run for its end, with all runs below it; one that is paused or waits becomes claimable, so
// that the Loop can close it properly. What waits for its end is held. Idempotent, also for ended runs; the
// first person to ask is named.
func (s *Runs) RequestAbort(ctx context.Context, runID, by string) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		marked, err := markToEnd(t, runID, by, "")
		if err != nil || len(marked) == 0 {
			return err
		}
		if err := holdBehind(t, runID); err != nil {
			return err
		}
		return addAudit(ctx, t, by, "run.abort", runID, "")
	})
}

// RequestTakeover marks a run for its end with a person's answer. Conflict where it has
// ended, or is to end.
func (s *Runs) RequestTakeover(ctx context.Context, runID, by, answer string) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		marked, err := markToEnd(t, runID, by, answer)
		if err != nil {
			return err
		}
		if !slices.Contains(marked, runID) {
			return agent.Errorf(agent.Conflict, "This run has ended, or somebody has stopped it.")
		}
		return addAudit(ctx, t, by, "run.takeover", runID, "")
	})
}

// markToEnd marks a run and those below it that have not ended and are not marked yet, and
// names them. One that is paused is queued for that once it has no open child. An answer is the first one's. NotFound where there is none.
func markToEnd(t *sqlite.Tx, runID, by, answer string) (marked []string, err error) {
	marked, err = sqlite.ListIn(t, sqlite.ScanString, `WITH RECURSIVE below(id) AS (
			SELECT $1 UNION ALL SELECT r.id FROM below JOIN runs r ON r.parent_run_id = below.id AND r.parent_run_id <> ''
		)
		UPDATE runs SET abort_by = $2, takeover = CASE WHEN id = $1 THEN $3 ELSE '' END, wake_at = 0,
			status = `+queuedToEnd+`
		WHERE id IN (SELECT id FROM below) AND abort_by = '' AND status IN ('queued', 'running', 'paused') RETURNING id`, runID, by, answer)
	if err != nil || len(marked) > 0 {
		return marked, err
	}
	var id string
	return nil, sqlite.NotFound(t.Row(`SELECT id FROM runs WHERE id = $1`, runID).Scan(&id), agent.NoRun)
}

// mayAskMore refuses a new run of a person whose runs wait for as many approvals as may be
// open: more would only bury those that others have to find. It holds nothing back of runs
// that have begun.
func (c *core) mayAskMore(t *sqlite.Tx, userID string) error {
	if c.approvalsPerUser == 0 {
		return nil
	}
	var open int
	if err := t.Row(openApprovals, userID).Scan(&open); err != nil || open < c.approvalsPerUser {
		return err
	}
	return agent.Errorf(agent.Conflict,
		"%d of your approvals wait for a decision, and no new run starts meanwhile. Decide some of them or stop their runs, then try again.", open)
}

const openApprovals = `SELECT COUNT(*) FROM approvals WHERE status = 'pending' AND user_id = $1`
