package store

import (
	"context"
	"fmt"
	"slices"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// ofTree is the condition under which a run is of the tree with the root $1.
const ofTree = `(r.id = $1 OR r.root_run_id = $1 AND r.root_run_id <> '')`

// Tree are the runs of a tree, the root first, then oldest first. The caller has checked the viewer.
func (s *Runs) Tree(ctx context.Context, rootRunID string) ([]agent.Run, error) {
	return sqlite.List(ctx, s.db, scanRun, `SELECT `+runColumns+` FROM runs r WHERE `+ofTree+` ORDER BY r.depth > 0, r.id`, rootRunID)
}

// EndingBelow are the runs below a run that are marked to end and have not ended.
func (s *Runs) EndingBelow(ctx context.Context, runID string) ([]agent.Run, error) {
	return sqlite.List(ctx, s.db, scanRun, `WITH RECURSIVE below(id) AS (
			SELECT id FROM runs WHERE parent_run_id = $1 AND parent_run_id <> ''
			UNION ALL SELECT r.id FROM below JOIN runs r ON r.parent_run_id = below.id AND r.parent_run_id <> ''
		)
		SELECT `+runColumns+` FROM below CROSS JOIN runs r WHERE r.id = below.id AND r.abort_by <> '' AND r.`+openStatus, runID)
}

// HasOpenChildren reports whether a child of the run has not ended.
func (s *Runs) HasOpenChildren(ctx context.Context, runID string) (open bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT `+hasOpenChildren("$1"), runID).Scan(&open)
	return open, err
}

// hasOpenChildren is the condition that a child of the run has not ended.
func hasOpenChildren(run string) string {
	return `EXISTS (SELECT 1 FROM runs k WHERE k.parent_run_id = ` + run + ` AND k.parent_run_id <> '' AND k.` + openStatus + `)`
}

// ChildOf is the child run that a call has made; NotFound where it made none.
func (s *Runs) ChildOf(ctx context.Context, runID, callID string) (id string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT id FROM runs WHERE parent_run_id = $1 AND parent_call_id = $2 AND parent_run_id <> ''`, runID, callID).Scan(&id)
	return id, sqlite.NotFound(err, agent.NoRun)
}

// answerOf is the last message of a run's model, empty for none.
func answerOf(ctx context.Context, from sqlite.Reader, runID string) (agent.Message, error) {
	m, err := scanMessage(from.QueryRowContext(ctx, `SELECT `+messageColumns+` FROM messages m WHERE m.run_id = $1 AND m.role = 'assistant' ORDER BY m.id DESC LIMIT 1`, runID))
	return m, sqlite.OrNone(err)
}

// unsettled is the condition that the tree of an approval still waits for it: it is to be
// decided, or its run has not applied the decision yet.
const unsettled = `(a.status IN ('pending', 'expired') OR a.status = 'decided' AND NOT a.applied)`

// countInTree counts a run in its tree, if that has room: the tree of a workflow for its steps,
// and for as many runs that these make as other trees have.
const countInTree = `UPDATE runs SET descendants = descendants + 1 WHERE id = $1 AND (descendants < $2
	OR json_extract(state, '$.workflow') IS NOT NULL AND descendants < $3
		AND (NOT $4 OR (SELECT COUNT(*) FROM runs k WHERE k.root_run_id = $1 AND k.root_run_id <> '' AND k.depth > 1) < $2))`

// spawn stores a child run with its task, and counts it in its tree. Where its parent is to
// end, so is the child.
func spawn(t *sqlite.Tx, c agent.NewChild) error {
	r := c.Run
	if err := t.ExecOr(agent.ErrTreeFull, countInTree, r.RootID(), agent.MaxTree-1, agent.MaxWorkflowTree-1, r.Lineage.Depth > 1); err != nil {
		return err
	}
	limits, state, err := limitsAndState(r)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO runs (id, conversation_id, user_id, token_id, message_id, status, model, limits, state, created_at,
			parent_run_id, parent_call_id, root_run_id, depth, agent, agent_version, abort_by)
		SELECT $1, conversation_id, user_id, token_id, $2, 'queued', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, abort_by FROM runs WHERE id = $7`,
		r.ID, c.Message.ID, r.Model, limits, state, sqlite.MS(r.CreatedAt), r.Lineage.ParentRunID, r.Lineage.ParentCallID, r.Lineage.RootRunID,
		r.Lineage.Depth, r.Agent, r.AgentVersion)
	if err != nil {
		return err
	}
	return insertMessage(t, c.Message)
}

// begun are the events with which a child run begins, behind those of the call that makes it;
// none where a change makes none.
func begun(c *agent.NewChild) []agent.Event {
	if c == nil {
		return nil
	}
	of := agent.Event{RunID: c.Run.ID, ParentRunID: c.Run.Lineage.ParentRunID}
	start, task := of, of
	start.Data, task.Data = c.Run.Start(c.Message.Content), agent.MessageEvent{Message: c.Message}
	return []agent.Event{start, task}
}

// followTree does what a change means for the other runs of its tree: the end of a child
// queues its parent, the end of a run stops those below it, and money of the root lets those
// go on that wait for it.
func followTree(t *sqlite.Tx, e agent.Change) error {
	if e.Spawn != nil {
		if err := spawn(t, *e.Spawn); err != nil {
			return fmt.Errorf("make a child run: %w", err)
		}
	}
	if e.StopsBelow != "" {
		if _, err := t.Exec(stopBelow, e.RunID, e.StopsBelow); err != nil {
			return err
		}
	}
	if e.FreesTree { // those that wait for children look at them and wait again
		if _, err := t.Exec(`UPDATE runs SET status = 'queued', wake_at = 0 WHERE root_run_id = $1 AND root_run_id <> '' AND status = 'paused'
			AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = runs.id AND a.status IN ('pending', 'expired'))`, e.RunID); err != nil {
			return err
		}
	}
	if e.Run == nil || !e.Run.Status.Ended() || e.ParentRunID == "" {
		return nil
	}
	_, err := t.Exec(`UPDATE runs SET status = 'queued', wake_at = 0 WHERE id = $1 AND (status = 'paused' OR status = 'queued' AND wake_at > 0)`, e.ParentRunID)
	return err
}

// stopBelow marks the runs below a run for their end on behalf of somebody, as markToEnd does.
var stopBelow = `WITH RECURSIVE below(id) AS (
		SELECT id FROM runs WHERE parent_run_id = $1 AND parent_run_id <> ''
		UNION ALL SELECT r.id FROM below JOIN runs r ON r.parent_run_id = below.id AND r.parent_run_id <> ''
	)
	UPDATE runs SET abort_by = $2, wake_at = 0, status = ` + queuedToEnd + `
	WHERE id IN (SELECT id FROM below) AND abort_by = '' AND ` + openStatus + ``

// queuedToEnd is the status of a run that is marked to end: one that is paused is queued for
// that once it has no open child.
var queuedToEnd = `CASE WHEN status = 'paused' AND NOT ` + hasOpenChildren("runs.id") + ` THEN 'queued' ELSE status END`

// mustGoOn reports whether a run may not pause: where it is about to end, it has no open child
// to wait for; else a child has ended whose call waits for it, or
// the root has applied what was decided on the card about money that it waits for.
func mustGoOn(t *sqlite.Tx, e agent.Change) (must bool, err error) {
	r := *e.Run
	if r.State.Stopping {
		err = t.Row(`SELECT NOT `+hasOpenChildren("$1"), r.ID).Scan(&must)
		return must, err
	}
	card := r.State.AwaitsCard
	if slices.ContainsFunc(e.Approvals, func(a agent.ApprovalChange) bool { return a.Approval.ID == card }) {
		// It comes with the change, unless another run of the tree has asked meanwhile.
		if err := t.Row(`SELECT EXISTS (`+openBudgetCard+`)`, r.RootID()).Scan(&must); must || err != nil {
			return must, err
		}
		card = ""
	}
	err = t.Row(`SELECT EXISTS (SELECT 1 FROM runs k JOIN tool_calls c ON c.run_id = k.parent_run_id AND c.id = k.parent_call_id
			WHERE k.parent_run_id = $1 AND k.parent_run_id <> '' AND k.status NOT IN ('queued', 'running', 'paused') AND c.state = 'executing')
		OR $2 <> '' AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.id = $2 AND `+unsettled+`)`, r.ID, card).Scan(&must)
	return must, err
}

const openBudgetCard = `SELECT a.id FROM approvals a WHERE a.run_id = $1 AND a.kind = 'budget' AND ` + unsettled + ` ORDER BY a.id LIMIT 1`
