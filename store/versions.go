package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// asks is the condition of a message that a run answers.
const asks = `role = 'user' AND said_by = ''`

// ofChild is the condition of a message of a child run, which is on no branch of its conversation.
const ofChild = `EXISTS (SELECT 1 FROM runs r WHERE r.id = m.run_id AND r.parent_run_id <> '')`

// newestBelow is the newest message below $1, or itself, that no other follows.
const newestBelow = `WITH RECURSIVE below(id) AS (
		SELECT m.id FROM messages m WHERE m.id = $1 AND m.conversation_id = $2 AND NOT ` + ofChild + `
		UNION
		SELECT k.id FROM below CROSS JOIN messages k WHERE k.conversation_id = $2 AND k.parent_id = below.id
	)
	SELECT id FROM below WHERE NOT EXISTS (SELECT 1 FROM messages k WHERE k.conversation_id = $2 AND k.parent_id = below.id)
	ORDER BY id DESC LIMIT 1`

// leafBelow is the end of the branch that a message names: it goes on to the newest one below it. The
// message that a run is writing names the branch of that run. NotFound for what is on no branch of the conversation.
func leafBelow(ctx context.Context, from sqlite.Reader, conversationID, messageID string) (string, error) {
	var leaf string
	err := sqlite.NotFound(from.QueryRowContext(ctx, newestBelow, messageID, conversationID).Scan(&leaf), noMessage)
	if agent.CodeOf(err) != agent.NotFound || messageID == "" {
		return leaf, err
	}
	var runID string
	if from.QueryRowContext(ctx, `SELECT id FROM runs WHERE conversation_id = $1 AND parent_run_id = '' AND `+openStatus+`
		AND state ->> 'draftId' = $2`, conversationID, messageID).Scan(&runID) != nil {
		return "", err
	}
	return newestOf(ctx, from, runID)
}

// chooseLeaf makes the branch that a message names the one that is shown, and tells readers. The
// event is of a run where that begins there.
func chooseLeaf(ctx context.Context, t *sqlite.Tx, conversationID, messageID, runID string) error {
	leaf, err := leafBelow(ctx, t.Reader(), conversationID, messageID)
	if err != nil {
		return err
	}
	if runID != "" {
		leaf = messageID // what follows it is another version
	}
	changed, err := t.Exec(`UPDATE conversations SET leaf_id = $1 WHERE id = $2 AND leaf_id <> $1`, leaf, conversationID)
	if err != nil || changed == 0 && runID == "" {
		return err
	}
	_, err = eventlog.Append(t, conversationID, []agent.Event{{RunID: runID, Data: agent.BranchEvent{LeafID: leaf}}})
	return err
}

// Version is where a message stands, of a conversation that the viewer may see; see service.MessageStore.
func (s *Runs) Version(ctx context.Context, v agent.Viewer, messageID string) (agent.Version, error) {
	var found agent.Version
	err := s.db.View(ctx, func(from sqlite.Reader) (err error) {
		found, err = versionOf(ctx, from, messageID)
		if err != nil {
			return err
		}
		var seen bool
		err = from.QueryRowContext(ctx, `SELECT owner_id = $1 OR $2 FROM conversations WHERE id = $3`, v.UserID, v.SeesAll(), found.ConversationID).Scan(&seen)
		if err == nil && !seen {
			err = agent.Errorf(agent.NotFound, noMessage)
		}
		return sqlite.NotFound(err, noMessage)
	})
	return found, err
}

// wayToAsked leads from message $1 up to the person's message that it is, or that is answered there.
const wayToAsked = `WITH RECURSIVE up(id, parent_id, run_id, asks, n) AS (
		SELECT m.id, m.parent_id, m.run_id, m.` + asks + `, 1 FROM messages m WHERE m.id = $1 AND NOT ` + ofChild + `
		UNION ALL
		SELECT m.id, m.parent_id, m.run_id, m.` + asks + `, up.n + 1 FROM up CROSS JOIN messages m WHERE m.id = up.parent_id AND NOT up.asks AND up.n < $2
	)
	SELECT id, run_id, asks FROM up ORDER BY n`

// AskedBy is the person's message that a run answers. NotFound where it was deleted. The caller has checked the viewer.
func (s *Runs) AskedBy(ctx context.Context, runID string) (m agent.Message, err error) {
	err = s.db.View(ctx, func(from sqlite.Reader) error {
		var began string
		err := from.QueryRowContext(ctx, `SELECT message_id FROM runs WHERE id = $1`, runID).Scan(&began)
		if err != nil {
			return sqlite.NotFound(err, agent.NoRun)
		}
		version, err := versionOf(ctx, from, began)
		if err != nil {
			return err
		}
		m, err = scanMessage(from.QueryRowContext(ctx, `SELECT `+messageColumns+` FROM messages m WHERE m.id = $1`, version.AskedID))
		return sqlite.NotFound(err, noMessage)
	})
	return m, err
}

func versionOf(ctx context.Context, from sqlite.Reader, messageID string) (v agent.Version, err error) {
	asked := false
	err = sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
		var id, runID string
		if err := r.Scan(&id, &runID, &asked); err != nil {
			return err
		}
		switch {
		case v.ID == "":
			v.ID, v.RunID = id, runID
		case runID == v.RunID && !asked:
			v.ID = id
		}
		v.AskedID, v.AskedRunID = id, runID
		return nil
	}, wayToAsked, messageID, maxBranch)
	if err == nil && !asked {
		err = agent.Errorf(agent.NotFound, noMessage)
	}
	if err != nil {
		return v, err
	}
	err = from.QueryRowContext(ctx, `SELECT r.conversation_id, r.status IN ('stopped', 'failed', 'aborted')
			OR r.status = 'finished' AND COALESCE((SELECT u.finish_reason FROM usage u WHERE u.run_id = r.id AND u.kind = $1 ORDER BY u.step DESC LIMIT 1), '') = 'length'
		FROM runs r WHERE r.id = $2`, agent.StepAnswer, v.RunID).Scan(&v.ConversationID, &v.Cut)
	if err != nil {
		return v, sqlite.NotFound(err, noMessage)
	}
	v.Newest, err = newestOf(ctx, from, v.RunID)
	return v, err
}

// maxBranch bounds the walk up a conversation's tree; a tree that is longer,
// or goes in circles, ends there.
const maxBranch = 20_000
