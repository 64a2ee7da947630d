package store

import (
	"context"
	"strings"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// removal is what goes with a version: the messages at and below it, and those of the child runs
// of its runs.
type removal struct {
	below agent.Below
	// messages and runs are JSON arrays of ids.
	messages, runs string
}

// removed finds the messages at and below $1: which of them are persons' own, and their runs.
const removed = `WITH RECURSIVE below(id) AS (
		SELECT $1 UNION SELECT k.id FROM below CROSS JOIN messages k WHERE k.conversation_id = $2 AND k.parent_id = below.id
	)
	SELECT m.id, m.run_id, m.` + asks + ` FROM below CROSS JOIN messages m WHERE m.id = below.id`

// findBelow finds what stands at and below the message with which a version begins.
func findBelow(ctx context.Context, from sqlite.Reader, conversationID, versionID string) (g removal, err error) {
	var messages, runs []string
	answers := map[string]bool{}
	err = sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
		var id, runID string
		var asked bool
		if err := r.Scan(&id, &runID, &asked); err != nil {
			return err
		}
		messages, runs = append(messages, id), append(runs, runID)
		if g.below.Deleted++; asked {
			g.below.Shown++
		} else {
			answers[runID] = true
		}
		return nil
	}, removed, versionID, conversationID)
	if err != nil {
		return g, err
	}
	g.below.Shown += len(answers)
	g.messages, g.runs = jsonList(messages), jsonList(runs)
	return g, nil
}

// whatGoes is findBelow for what is to be deleted. Conflict while a run works on it.
func whatGoes(ctx context.Context, from sqlite.Reader, conversationID, versionID string) (removal, error) {
	g, err := findBelow(ctx, from, conversationID, versionID)
	if err != nil {
		return g, err
	}
	var working bool
	err = from.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = $1 AND r.parent_run_id = '' AND r.`+openStatus+`
		AND (r.id IN (SELECT value FROM json_each($2)) OR r.message_id IN (SELECT value FROM json_each($3))))`, conversationID, g.runs, g.messages).Scan(&working)
	if err == nil && working {
		err = agent.Wrap(agent.Conflict, agent.ErrActive, "A run still works on this message, or below it. Stop it first, then delete.")
	}
	return g, err
}

// Below counts what stands at and below the beginning of a version; see service.MessageStore.
func (s *Runs) Below(ctx context.Context, v agent.Version) (agent.Below, error) {
	var g removal
	err := s.db.View(ctx, func(from sqlite.Reader) (err error) {
		g, err = findBelow(ctx, from, v.ConversationID, v.ID)
		return err
	})
	return g.below, err
}

// CallsBelow are the calls that have begun of the runs at and below a version, oldest first; see service.MessageStore.
func (s *Runs) CallsBelow(ctx context.Context, v agent.Version) (calls []agent.ToolCall, err error) {
	err = s.db.View(ctx, func(from sqlite.Reader) error {
		g, err := findBelow(ctx, from, v.ConversationID, v.ID)
		if err != nil {
			return err
		}
		calls, err = sqlite.List(ctx, from, scanCall, `SELECT `+callWithoutResult+` FROM tool_calls
			WHERE run_id IN (SELECT id FROM runs WHERE id IN (SELECT value FROM json_each($1)) OR root_run_id <> '' AND root_run_id IN (SELECT value FROM json_each($1)))
			AND started_at > 0 ORDER BY started_at, run_id, step, idx LIMIT $2`, g.runs, maxChildCalls)
		return err
	})
	return calls, err
}

// DeleteVersion deletes the version that a message is of; see service.MessageStore.
func (s *Runs) DeleteVersion(ctx context.Context, v agent.Version) (done agent.Below, err error) {
	defer s.forget(v.ConversationID)
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		done, err = deleteVersion(ctx, t, v.ConversationID, v.ID)
		return err
	})
	return done, err
}

// deleteVersion deletes the messages of a version with all that follows them: what was said is gone. The
// runs stay with their bill, and their calls with what was decided about them: they are what was done.
func deleteVersion(ctx context.Context, t *sqlite.Tx, conversationID, versionID string) (agent.Below, error) {
	first, err := messageOf(t, versionID)
	if err != nil {
		return agent.Below{}, err
	}
	g, err := whatGoes(ctx, t.Reader(), conversationID, versionID)
	if err != nil {
		return agent.Below{}, err
	}
	leaf, err := leafWithout(ctx, t, g, first)
	if err != nil {
		return agent.Below{}, err
	}
	if err := g.deleteRows(t, conversationID); err != nil {
		return agent.Below{}, err
	}
	if _, err := t.Exec(`UPDATE conversations SET leaf_id = $1 WHERE id = $2`, leaf, conversationID); err != nil {
		return agent.Below{}, err
	}
	gone := agent.MessageDeletedEvent{MessageID: versionID, LeafID: leaf, Deleted: g.below.Deleted}
	if _, err := eventlog.Append(t, conversationID, []agent.Event{{Data: gone}}); err != nil {
		return agent.Below{}, err
	}
	detail, err := toJSON(struct {
		Conversation string `json:"conversation"`
		Messages     int    `json:"messages"`
	}{conversationID, g.below.Deleted})
	if err != nil {
		return agent.Below{}, err
	}
	return g.below, addAudit(ctx, t, "", "message.delete", versionID, detail)
}

// deleteRows deletes what was said. The answers of runs that were handed tasks are on branches of their own.
func (g removal) deleteRows(t *sqlite.Tx, conversationID string) error {
	const below = `(SELECT id FROM runs WHERE root_run_id <> '' AND root_run_id IN (SELECT value FROM json_each($2)))`
	if err := t.ExecEach([]any{g.messages, g.runs, conversationID},
		`DELETE FROM events WHERE type IN ('message', 'text-delta', 'reasoning-delta') AND (subject IN (SELECT value FROM json_each($1)) OR run_id IN `+below+`) AND conversation_id = $3`,
		`DELETE FROM compactions WHERE (leaf IN (SELECT value FROM json_each($1)) OR run_id IN `+below+`) AND conversation_id = $3`,
		`DELETE FROM messages WHERE (id IN (SELECT value FROM json_each($1)) OR run_id IN `+below+`) AND conversation_id = $3`); err != nil {
		return err
	}
	const ofThem = `(SELECT id FROM runs WHERE id IN (SELECT value FROM json_each($1)) OR root_run_id <> '' AND root_run_id IN (SELECT value FROM json_each($1)))`
	if _, err := t.Exec(`DELETE FROM exchanges WHERE run_id IN `+ofThem, g.runs); err != nil {
		return err
	}
	_, err := t.Exec(`UPDATE runs SET deleted_at = $1 WHERE deleted_at = 0 AND id IN `+strings.ReplaceAll(ofThem, "$1", "$2"), sqlite.MS(t.Clock.Now()), g.runs)
	return err
}

// leafWithout is where a conversation's branch ends once a version is gone: where it ended, if that stays; else
// with the newest message below the version before it, or behind it, else with the message above.
func leafWithout(ctx context.Context, t *sqlite.Tx, g removal, first agent.Message) (leaf string, err error) {
	var stays bool
	err = t.Row(`SELECT leaf_id, leaf_id NOT IN (SELECT value FROM json_each($1)) FROM conversations WHERE id = $2`, g.messages, first.ConversationID).Scan(&leaf, &stays)
	if err != nil || stays {
		return leaf, err
	}
	nearest := first.ParentID
	err = t.Each(func(r sqlite.Scanner) error {
		id, err := sqlite.ScanString(r)
		nearest = id
		return err
	}, `SELECT m.id FROM messages m WHERE m.conversation_id = $1 AND m.parent_id = $2 AND m.id <> $3 AND (m.parent_id <> '' OR NOT `+ofChild+`)
		ORDER BY m.id > $3, CASE WHEN m.id < $3 THEN m.id END DESC, m.id LIMIT 1`, first.ConversationID, first.ParentID, first.ID)
	if err != nil || nearest == "" {
		return "", err
	}
	if nearest == first.ParentID {
		return nearest, nil
	}
	return leafBelow(ctx, t.Reader(), first.ConversationID, nearest)
}
