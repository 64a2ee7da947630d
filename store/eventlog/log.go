package eventlog

import (
	"context"
	"fmt"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Log replays the events of conversations in the order in which they were
// committed. The journal and the commands append to it.
type Log struct{ db *sqlite.DB }

// New is the log of a database.
func New(db *sqlite.DB) *Log { return &Log{db} }

// Columns are those of an event e, in the order of Scan.
const Columns = `e.conversation_id, e.seq, e.run_id, e.step, e.type, e.at, e.data, e.parent_run_id`

// Scan reads an event.
func Scan(r sqlite.Scanner) (e agent.Event, err error) {
	var kind, data string
	if err = r.Scan(&e.ConversationID, &e.Seq, &e.RunID, &e.Step, &kind, sqlite.Time(&e.At), &data, &e.ParentRunID); err != nil {
		return e, err
	}
	e.Encoded = []byte(data)
	e.Data, err = agent.DecodeEventData(kind, e.Encoded)
	return e, err
}

// eventGroups are how many events one statement writes, the largest first, so
// that few texts have to be prepared.
var eventGroups = []int{64, 16, 4, 1}

// eventInserts are the statements of the groups.
var eventInserts = func() map[int]string {
	texts := map[int]string{}
	for _, n := range eventGroups {
		texts[n] = `INSERT INTO events (conversation_id, seq, run_id, step, type, subject, at, data, parent_run_id) VALUES` + sqlite.RowParams(n, 9)
	}
	return texts
}()

// insertEvents writes events that have their numbers.
func insertEvents(t *sqlite.Tx, events []agent.Event) error {
	for _, n := range eventGroups {
		for len(events) >= n {
			args := make([]any, 0, n*9)
			for i := range events[:n] {
				e := &events[i]
				if err := e.Encode(); err != nil {
					return fmt.Errorf("encode %s: %w", e.Type(), err)
				}
				args = append(args, e.ConversationID, e.Seq, e.RunID, e.Step, e.Type(), subjectOf(e.Data), sqlite.MS(e.At), string(e.Encoded), e.ParentRunID)
			}
			if _, err := t.Exec(eventInserts[n], args...); err != nil {
				return fmt.Errorf("write event: %w", err)
			}
			events = events[n:]
		}
	}
	return nil
}

// subjectOf is the message or call that deltas belong to, and the events that
// make those deltas dispensable; of a notice the child run that it is about.
func subjectOf(d agent.EventData) string {
	switch d := d.(type) {
	case agent.MessageEvent:
		return d.Message.ID
	case agent.TextDelta:
		return d.ID
	case agent.ReasoningDelta:
		return d.ID
	case agent.ToolCallDelta:
		return d.ToolCallID
	case agent.ToolCallStateEvent:
		return d.ToolCallID
	case agent.ToolResultDelta:
		return d.ToolCallID
	case agent.ToolCallResult:
		return d.ToolCallID
	case agent.Notice:
		return d.ChildRunID
	default:
		return ""
	}
}

// maxEvents bounds what one query of the log returns.
const maxEvents = 5000

// Events returns at most limit events with seq > after, in order.
func (s *Log) Events(ctx context.Context, conversationID string, after int64, limit int) ([]agent.Event, error) {
	return sqlite.List(ctx, s.db, Scan, `SELECT `+Columns+` FROM events e
		WHERE e.conversation_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3`, conversationID, after, min(limit, maxEvents))
}

// StepBefore is the number of the event that begins the last step before event seq, seq
// where there is none.
func (s *Log) StepBefore(ctx context.Context, conversationID string, seq int64) (at int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT COALESCE((SELECT e.seq FROM events e
		WHERE e.conversation_id = $1 AND e.seq < $2 AND e.type = 'step-start' ORDER BY e.seq DESC LIMIT 1), $2)`, conversationID, seq).Scan(&at)
	return at, err
}

// Superseded is the condition under which a delta says nothing any more: the
// whole that it was a part of is in the log after it.
const Superseded = `(
	(e.type IN ('text-delta', 'reasoning-delta') AND EXISTS (SELECT 1 FROM events w
		WHERE w.conversation_id = e.conversation_id AND w.subject = e.subject AND w.type = 'message'))
	OR (e.type = 'tool-call-delta' AND EXISTS (SELECT 1 FROM events w
		WHERE w.conversation_id = e.conversation_id AND w.subject = e.subject AND w.type = 'tool-call-state' AND w.run_id = e.run_id))
	OR (e.type = 'tool-result-delta' AND EXISTS (SELECT 1 FROM events w
		WHERE w.conversation_id = e.conversation_id AND w.subject = e.subject AND w.type = 'tool-call-result' AND w.run_id = e.run_id)))`

// ofRun is the condition under which an event is of run $1. Deltas are in no index
// by run: they are between the run's other events, behind them while it goes on.
const ofRun = `e.conversation_id = (SELECT r.conversation_id FROM runs r WHERE r.id = $1)
	AND e.seq >= COALESCE((SELECT MIN(f.seq) FROM events f WHERE f.run_id = $1 AND f.` + IsWhole + `), 0)
	AND e.seq <= COALESCE((SELECT MAX(f.seq) FROM events f, runs r WHERE f.run_id = $1 AND f.` + IsWhole + `
		AND r.id = $1 AND r.ended_at > 0), 9223372036854775807)
	AND e.run_id = $1`

// IsWhole is the condition of the index of events by run, word for word.
const IsWhole = `type NOT IN ('text-delta', 'reasoning-delta', 'tool-call-delta', 'tool-result-delta')`

// OfRun is a run's part of the log, deltas of what is final left out.
func OfRun(ctx context.Context, from sqlite.Reader, runID string) ([]agent.Event, error) {
	return sqlite.List(ctx, from, Scan, `SELECT `+Columns+` FROM events e
		WHERE `+ofRun+` AND NOT `+Superseded+` ORDER BY e.seq LIMIT $2`, runID, maxEvents)
}

// Append numbers events and adds them to the conversation's log. Readers hear of
// them once the transaction is committed.
func Append(t *sqlite.Tx, conversationID string, events []agent.Event) ([]agent.Event, error) {
	if len(events) == 0 {
		return nil, nil
	}
	var last int64
	err := t.Row(`UPDATE conversations SET last_seq = last_seq + $1 WHERE id = $2 RETURNING last_seq`,
		len(events), conversationID).Scan(&last)
	if err != nil {
		return nil, sqlite.NotFound(err, agent.NoConversation)
	}
	now := agent.Stamp(t.Clock)
	told := make([]agent.Event, len(events))
	for i, e := range events {
		e.ConversationID, e.At = conversationID, now
		e.Seq = last - int64(len(events)-1-i)
		told[i] = e
	}
	if err := insertEvents(t, told); err != nil {
		return nil, err
	}
	t.Events = append(t.Events, told...)
	return told, nil
}

// pruneRuns bounds how many runs one call of PruneDeltas looks at.
const pruneRuns = 200

// PruneDeltas removes deltas of what is final, of runs that ended before the
// given time, at most limit of them; it returns how many. A replay from
// further back gets the whole message. It goes run by run, each in a short
// write of its own, so that streaming runs do not wait for it.
func (s *Log) PruneDeltas(ctx context.Context, before time.Time, limit int) (int64, error) {
	ids, err := sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT id FROM runs
		WHERE NOT pruned AND ended_at > 0 AND ended_at < $1 ORDER BY ended_at, id LIMIT $2`, sqlite.MS(before), pruneRuns)
	var total int64
	for _, id := range ids {
		left := int64(limit) - total
		if err != nil || left <= 0 {
			break
		}
		var n int64
		n, err = s.pruneRun(ctx, id, left)
		total += n
	}
	return total, err
}

// pruneRun removes at most limit deltas of a run; the run is done with once
// there were fewer.
func (s *Log) pruneRun(ctx context.Context, runID string, limit int64) (int64, error) {
	var n int64
	err := s.db.Write(ctx, false, func(t *sqlite.Tx) (err error) {
		n, err = t.Exec(`DELETE FROM events WHERE (conversation_id, seq) IN (
			SELECT e.conversation_id, e.seq FROM events e WHERE `+ofRun+`
			AND e.type IN ('text-delta', 'reasoning-delta', 'tool-call-delta', 'tool-result-delta')
			AND `+Superseded+` LIMIT $2)`, runID, limit)
		if err != nil || n == limit {
			return err
		}
		_, err = t.Exec(`UPDATE runs SET pruned = TRUE WHERE id = $1`, runID)
		return err
	})
	return n, err
}
