package store

import (
	"context"
	"database/sql"
	"errors"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// Transcript returns a part of the log without the deltas of what is final: whole
// runs, and the approvals of other runs that still cover calls or were revoked. What messages cite
// is named as it is now.
func (s *Conversations) Transcript(ctx context.Context, conversationID string, p agent.LogPart) (agent.Transcript, error) {
	var t agent.Transcript
	err := s.db.View(ctx, func(from sqlite.Reader) error {
		var err error
		var end int64
		if t.From, end, err = spanOf(ctx, from, conversationID, p); err != nil {
			return err
		}
		t.Events, err = sqlite.List(ctx, from, eventlog.Scan, `SELECT `+eventlog.Columns+` FROM events e
			WHERE e.conversation_id = $1 AND e.seq >= $2 AND e.seq <= $3 AND NOT `+eventlog.Superseded+` ORDER BY e.seq`, conversationID, t.From, end)
		if err != nil {
			return err
		}
		if t.Events, err = eventsCitedNow(ctx, from, conversationID, t.Events); err != nil {
			return err
		}
		t.Covers, err = sqlite.List(ctx, from, eventlog.Scan, `SELECT `+eventlog.Columns+` FROM (
				SELECT DISTINCT run_id FROM approvals WHERE conversation_id = $1 AND scope = 'conversation'
			) a CROSS JOIN events e WHERE e.run_id = a.run_id AND e.`+eventlog.IsWhole+`
			AND (e.seq < $2 OR e.seq > $3) AND e.type IN ('approval-requested', 'approval-decided', 'notice') ORDER BY e.seq`, conversationID, t.From, end)
		if err != nil {
			return err
		}
		t.Covers, err = readableEvents(ctx, from, conversationID, t.Covers)
		return err
	})
	return t, err
}

// behindAll is behind every event.
const behindAll = int64(1) << 62

// spanOf finds the first event of a part, and its last.
func spanOf(ctx context.Context, from sqlite.Reader, conversationID string, p agent.LogPart) (first, last int64, err error) {
	before := p.Before
	if before == 0 {
		before = behindAll
	}
	first, err = startOfRun(ctx, from, conversationID, before, p.Messages)
	if err != nil || p.Before == 0 || p.ToEnd {
		return first, behindAll, err
	}
	last, err = endOfRun(ctx, from, conversationID, before)
	return first, last, err
}

// begins is the condition under which an event begins a message, or nearly so: a run
// begins with that of a person, a step with that of the model.
const begins = `e.parent_run_id = '' AND e.type IN ('run-start', 'step-start')`

// startOfRun is the first event of the run that the n-th message before an event is of, 1 where there are fewer.
func startOfRun(ctx context.Context, from sqlite.Reader, conversationID string, before int64, n int) (int64, error) {
	var first int64
	err := from.QueryRowContext(ctx, `SELECT (SELECT MIN(f.seq) FROM events f WHERE f.run_id = e.run_id AND f.`+eventlog.IsWhole+`)
		FROM events e WHERE e.conversation_id = $1 AND e.seq < $2 AND `+begins+` ORDER BY e.seq DESC LIMIT 1 OFFSET $3`,
		conversationID, before, n).Scan(&first)
	if errors.Is(err, sql.ErrNoRows) {
		return 1, nil
	}
	return first, err
}

// endOfRun is the last event of the run that goes on at an event.
func endOfRun(ctx context.Context, from sqlite.Reader, conversationID string, before int64) (int64, error) {
	last := before - 1
	err := from.QueryRowContext(ctx, `SELECT (SELECT MAX(f.seq) FROM events f WHERE f.run_id = e.run_id AND f.`+eventlog.IsWhole+`)
		FROM events e WHERE e.conversation_id = $1 AND e.seq < $2 AND `+begins+` ORDER BY e.seq DESC LIMIT 1`,
		conversationID, before).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return max(last, before-1), err
}

// PlaceOf is the number of the event before which a part of the log has a message in
// its middle, 0 where that is among the newest; NotFound where there is none.
func (s *Conversations) PlaceOf(ctx context.Context, conversationID, messageID string, part int) (int64, error) {
	var at, before int64
	err := s.db.QueryRowContext(ctx, `SELECT e.seq FROM events e WHERE e.conversation_id = $1 AND e.subject = $2 AND e.type = 'message'`,
		conversationID, messageID).Scan(&at)
	if err != nil {
		return 0, sqlite.NotFound(err, "There is no such message in this conversation.")
	}
	err = s.db.QueryRowContext(ctx, `SELECT e.seq FROM events e WHERE e.conversation_id = $1 AND e.seq > $2 AND `+begins+`
		ORDER BY e.seq LIMIT 1 OFFSET $3`, conversationID, at, part/2).Scan(&before)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return before, err
}
