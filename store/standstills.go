package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// TellStandstills tells the parents of open child runs that have had no event since a time, at
// most limit of them, once for each standstill: the log says which have been told.
func (s *Runs) TellStandstills(ctx context.Context, before time.Time, limit int) error {
	found, err := standing(ctx, s.db, before, limit) // asking costs no write
	if err != nil || len(found) == 0 {
		return err
	}
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		found, err := standing(ctx, t.Reader(), before, limit)
		if err != nil {
			return err
		}
		for _, still := range found {
			_, err := eventlog.Append(t, still.ConversationID, []agent.Event{
				{RunID: still.ParentRunID, ParentRunID: still.GrandparentRunID, Data: still.Notice(t.Clock.Now())},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// standing are the standstills that nobody has been told of.
func standing(ctx context.Context, from sqlite.Reader, before time.Time, limit int) ([]agent.Standstill, error) {
	found, err := sqlite.List(ctx, from, scanStandstill, standstills, sqlite.MS(before), limit)
	if err != nil {
		return nil, err
	}
	still := found[:0]
	for _, f := range found {
		var streams bool
		if err := from.QueryRowContext(ctx, streamed, sqlite.MS(before), f.ConversationID, f.RunID, f.LastSeq).Scan(&streams); err != nil {
			return nil, err
		}
		if !streams {
			still = append(still, f)
		}
	}
	return still, nil
}

// worksBy is the name of the agent, or of the workflow, that a child run works by.
func worksBy(run string) string {
	return `COALESCE(NULLIF(` + run + `.agent, ''), ` + workflowName(run) + `)`
}

// standstills are the open child runs whose last event is from $1 or before, and that their
// parents have not been told of since. What streams is in no index by run: see streamed. To be
// told of a standstill is no progress, nor is a card that is asked about once more.
var standstills = `SELECT r.conversation_id, r.id, r.parent_run_id, p.parent_run_id, ` + worksBy("r") + `, r.status, r.wake_at, l.seq, l.at,
		EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = r.id AND a.status IN ('pending', 'expired')),
		COALESCE((SELECT c.name FROM tool_calls c WHERE c.run_id = r.id AND c.state = 'executing' AND c.name <> '` + agent.DelegateTool + `' ORDER BY c.step, c.idx LIMIT 1), ''),
		COALESCE((SELECT ` + worksBy("k") + ` FROM runs k WHERE k.parent_run_id = r.id AND k.parent_run_id <> '' AND k.` + openStatus + ` ORDER BY k.id LIMIT 1), '')
	FROM runs r JOIN runs p ON p.id = r.parent_run_id
	JOIN events l ON l.conversation_id = r.conversation_id AND l.seq = (SELECT e.seq FROM events e
		WHERE e.run_id = r.id AND e.` + eventlog.IsWhole + ` AND e.type <> 'approval-requested' AND (e.type <> 'notice' OR e.subject = '') ORDER BY e.seq DESC LIMIT 1)
	WHERE r.parent_run_id <> '' AND r.` + openStatus + ` AND l.at <= $1
		AND NOT EXISTS (SELECT 1 FROM events n WHERE n.run_id = r.parent_run_id AND n.` + eventlog.IsWhole + `
			AND n.seq > l.seq AND n.type = 'notice' AND n.subject = r.id)
	ORDER BY l.at, r.id LIMIT $2`

// streamed says whether a run has streamed something since $1, after its last whole event.
const streamed = `SELECT COALESCE((SELECT e.at > $1 FROM events e WHERE e.conversation_id = $2 AND e.run_id = $3 AND e.seq > $4 AND NOT (e.` + eventlog.IsWhole + `) ORDER BY e.seq DESC LIMIT 1), FALSE)`

func scanStandstill(r sqlite.Scanner) (s agent.Standstill, err error) {
	err = r.Scan(&s.ConversationID, &s.RunID, &s.ParentRunID, &s.GrandparentRunID, &s.Agent, &s.Status, sqlite.Time(&s.WakeAt),
		&s.LastSeq, sqlite.Time(&s.Since), &s.Asks, &s.Tool, &s.Child)
	return s, err
}
