package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// steering are the messages that steer a run and that it has not heard yet, in their order.
const steering = `SELECT ` + queuedColumns + ` FROM queued_messages q WHERE q.run_id = $1 AND q.run_id <> '' AND q.message_id = '' ORDER BY q.position`

// isSteered is the condition that there are any.
const isSteered = `EXISTS (SELECT 1 FROM queued_messages q WHERE q.run_id = r.id AND q.run_id <> '' AND q.message_id = '')`

// AddSteer stores a message that steers a run; see service.MessageStore.
func (s *Runs) AddSteer(ctx context.Context, m agent.QueuedMessage) (agent.QueuedItem, error) {
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		was, err := wasQueued(t, m)
		if err == nil && was.ID != "" {
			m.ID = was.ID
			err = t.Row(`SELECT run_id, goes_in FROM queued_messages WHERE id = $1`, m.ID).Scan(&m.RunID, &m.GoesIn)
		}
		if err == nil && (was.Was != nil || was.ID != "" && m.GoesIn == "") {
			err = agent.InvalidField("clientId", "is that of another message of this conversation")
		}
		if err != nil || was.ID != "" {
			return err
		}
		if m.GoesIn, err = goesIn(t, m.RunID); err != nil {
			return err
		}
		return s.insertQueued(t, m, false)
	})
	return agent.QueuedItem{ID: m.ID, GoesIn: m.GoesIn, SteersRunID: m.RunID}, err
}

// SteerQueued has a message that waits for its turn steer the run of its conversation instead; see service.MessageStore.
func (s *Runs) SteerQueued(ctx context.Context, conversationID, id string) (agent.QueuedItem, error) {
	done := agent.QueuedItem{ID: id}
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		err := t.Row(`SELECT id FROM runs WHERE conversation_id = $1 AND parent_run_id = '' AND `+openStatus, conversationID).Scan(&done.SteersRunID)
		if agent.CodeOf(sqlite.NotFound(err, agent.NoRun)) == agent.NotFound {
			return agent.Errorf(agent.Conflict, noneToSteer)
		}
		if err == nil {
			done.GoesIn, err = goesIn(t, done.SteersRunID)
		}
		if err != nil {
			return err
		}
		if err := t.ExecOr(agent.Errorf(agent.NotFound, noQueued), `UPDATE queued_messages SET run_id = $1, goes_in = $2, held = FALSE, created_at = $3, position = (SELECT MAX(position) + 1 FROM queued_messages WHERE conversation_id = $4 AND message_id = '')
			WHERE id = $5 AND conversation_id = $4 AND run_id = ''`, done.SteersRunID, done.GoesIn, sqlite.MS(agent.Stamp(t.Clock)),
			conversationID, id); err != nil {
			return err
		}
		return tellQueue(t, conversationID)
	})
	return done, err
}

const noneToSteer = "No run of this conversation is at work that could hear this. Send it as a message."

// goesIn is when a run hears what a person says now. One that waits outside the model looks at
// once; Conflict where it has ended, or is to end.
func goesIn(t *sqlite.Tx, runID string) (agent.GoesIn, error) {
	var works, asks, agents bool
	err := t.Row(`SELECT abort_by = '' AND `+openStatus+`, EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = r.id AND a.status IN ('pending', 'expired')), `+hasOpenChildren("r.id")+`
		FROM runs r WHERE id = $1`, runID).Scan(&works, &asks, &agents)
	if err != nil {
		return "", sqlite.NotFound(err, agent.NoRun)
	}
	if !works {
		return "", agent.Errorf(agent.Conflict, noneToSteer)
	}
	if _, err := t.Exec(`UPDATE runs SET wake_at = 0 WHERE id = $1 AND status = 'queued' AND wake_at > 0`, runID); err != nil {
		return "", err
	}
	switch {
	case agents:
		return agent.AfterAgents, nil
	case asks:
		return agent.AfterDecision, nil
	default:
		return agent.AfterStep, nil
	}
}

// followQueue does what a change means for the queue of its conversation. The end of a run puts
// what it has not heard at the head of what waits, and holds all of it where the run has not
// come to its answer. What waited when a person stopped the run is held already. waits says that a message's turn has come.
// It returns ErrSteered if a message that the run has heard was taken back meanwhile.
func followQueue(t *sqlite.Tx, e agent.Change) (told []agent.Event, waits bool, err error) {
	for _, h := range e.Heard {
		if err := t.ExecOr(agent.ErrSteered, `UPDATE queued_messages SET message_id = $1, content = '' WHERE id = $2 AND run_id = $3 AND message_id = ''`,
			h.MessageID, h.ID, e.RunID); err != nil {
			return nil, false, err
		}
	}
	ends := e.Run != nil && e.Run.Status.Ended() && e.ParentRunID == ""
	if !ends && len(e.Heard) == 0 {
		return nil, false, nil
	}
	all, err := queueOf(t, e.ConversationID)
	if err != nil {
		return nil, false, err
	}
	if ends && len(all) > 0 {
		var hold bool
		if err := t.Row(`SELECT $1 AND abort_by = '' FROM runs WHERE id = $2`, e.Run.Status != agent.StatusFinished, e.RunID).Scan(&hold); err != nil {
			return nil, false, err
		}
		if _, err := t.Exec(`UPDATE queued_messages SET run_id = '', goes_in = '', held = held OR $1 WHERE conversation_id = $2 AND message_id = ''`, hold, e.ConversationID); err != nil {
			return nil, false, err
		}
		if err := placeQueued(t, all); err != nil {
			return nil, false, err
		}
		waits = !hold
	}
	if !ends || len(all) > 0 {
		event, err := toldQueue(t, e.ConversationID)
		return []agent.Event{event}, waits, err
	}
	return nil, false, nil
}
