package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// History says how much people and models have said to each other. Each run is a
// person's message, a call of a tool, and an answer: four messages and ten events.
// Its deltas are pruned.
type History struct {
	Runs, Conversations, Users, Days int
	// End is when the last run ended.
	End time.Time
	// Owner is the e-mail address of the person whose conversations all of them are;
	// "" spreads them over the users.
	Owner string
}

// The size of a run in a History.
const (
	MessagesPerRun = 4
	EventsPerRun   = 10
)

// YearOfRuns is a database of a year: a million events of 100,000 runs in 10,000
// conversations.
func YearOfRuns(end time.Time) History {
	return History{Runs: 100_000, Conversations: 10_000, Users: 200, Days: 365, End: end}
}

// Fill adds the history and its bill to the database of a store that is open or
// was closed. Run i is run-i of conversation-(i mod Conversations), which user-(j
// mod Users) owns.
func (h History) Fill(ctx context.Context, path string) error {
	bill := Bill{Lines: 5 * h.Runs, Days: h.Days, End: h.End, Models: 14, Users: h.Users, Conversations: h.Conversations, Tools: 12}
	if err := bill.Fill(ctx, path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=60000&_synchronous=OFF&_cache_size=-200000")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	width := int64(h.Days) * 24 * time.Hour.Milliseconds()
	start := h.End.UnixMilli() - width
	for _, step := range []struct {
		text string
		args []any
	}{
		{`BEGIN`, nil},
		{turns, []any{h.Runs, h.Conversations, h.Users, start, width}},
		{runs, nil}, {messages, nil}, {events, nil}, {calls, nil}, {approvals, nil}, {`CREATE INDEX temp.turn_chat ON turn (chat)`, nil},
		{newest, []any{EventsPerRun}},
		{owned, []any{h.Owner}},
		{`DROP TABLE temp.turn`, nil},
		{`COMMIT`, nil},
		{`DELETE FROM sqlite_stat1`, nil}, // which databases of instances do not have
	} {
		if _, err := db.ExecContext(ctx, step.text, step.args...); err != nil {
			return fmt.Errorf("fill the history: %w", err)
		}
	}
	return nil
}

// turns is what the rows of a run are made of; n counts the runs of a conversation.
const turns = `CREATE TEMP TABLE turn AS WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < $1)
	SELECT i / $2 AS n, 'conversation-' || (i % $2) AS chat, 'user-' || (i % $2 % $3) AS person, printf('run-%d', i) AS run,
		printf('m%09d', i) AS id, printf('m%09d', i - $2) AS before, $4 + i * ($5 / $1) AS at,
		'The text of turn ' || i || ', which is about as long as what a person writes to a model in one message.' AS said FROM i`

const runs = `INSERT INTO runs (id, conversation_id, user_id, message_id, status, stop_reason, model, steps, usage, limits, created_at, started_at, ended_at, pruned)
	SELECT run, chat, person, id || 'a', 'finished', 'goal', 'model-1', 2, '{"inputTokens":1000,"cachedTokens":0,"outputTokens":50,"reasoningTokens":0}',
		'{"steps":50,"durationMs":600000,"tokens":200000}', at, at, at + 2000, TRUE FROM turn`

const messages = `INSERT INTO messages (id, conversation_id, parent_id, role, content, tool_calls, tool_call_id, run_id, created_at)
	SELECT id || 'a', chat, CASE n WHEN 0 THEN '' ELSE before || 'd' END, 'user', said, '', '', run, at FROM turn
	UNION ALL SELECT id || 'b', chat, id || 'a', 'assistant', '', '[{"id":"call_' || id || '","name":"calculator","arguments":"{\"expression\":\"6*7\"}"}]', '', run, at FROM turn
	UNION ALL SELECT id || 'c', chat, id || 'b', 'tool', '42', '', 'call_' || id, run, at FROM turn
	UNION ALL SELECT id || 'd', chat, id || 'c', 'assistant', 'The answer to it. ' || said, '', '', run, at FROM turn`

// events are the log of each run, in the order in which their numbers say.
const events = `INSERT INTO events (conversation_id, seq, run_id, step, type, subject, at, data)
	SELECT chat, n * 10 + 1, run, 0, 'message', id || 'a', at, json_object('message', json_object('id', id || 'a', 'role', 'user', 'content', said, 'runId', run, 'createdAt', '2026-01-01T00:00:00Z')) FROM turn
	UNION ALL SELECT chat, n * 10 + 2, run, 0, 'run-start', '', at, '{"model":"model-1","limits":{"steps":50,"durationMs":600000,"tokens":200000}}' FROM turn
	UNION ALL SELECT chat, n * 10 + 3, run, 1, 'step-start', '', at, json_object('messageId', id || 'b') FROM turn
	UNION ALL SELECT chat, n * 10 + 4, run, 1, 'message', id || 'b', at, json_object('message', json_object('id', id || 'b', 'role', 'assistant', 'content', '', 'runId', run, 'createdAt', '2026-01-01T00:00:00Z',
		'toolCalls', json_array(json_object('id', 'call_' || id, 'name', 'calculator', 'arguments', '{"expression":"6*7"}')))) FROM turn
	UNION ALL SELECT chat, n * 10 + 5, run, 1, 'tool-call-state', 'call_' || id, at, json_object('toolCallId', 'call_' || id, 'state', 'success') FROM turn
	UNION ALL SELECT chat, n * 10 + 6, run, 1, 'tool-call-result', 'call_' || id, at, json_object('toolCallId', 'call_' || id, 'result', '42') FROM turn
	UNION ALL SELECT chat, n * 10 + 7, run, 1, 'message', id || 'c', at, json_object('message', json_object('id', id || 'c', 'role', 'tool', 'content', '42', 'toolCallId', 'call_' || id, 'runId', run, 'createdAt', '2026-01-01T00:00:00Z')) FROM turn
	UNION ALL SELECT chat, n * 10 + 8, run, 2, 'step-start', '', at, json_object('messageId', id || 'd') FROM turn
	UNION ALL SELECT chat, n * 10 + 9, run, 2, 'message', id || 'd', at, json_object('message', json_object('id', id || 'd', 'role', 'assistant', 'content', 'The answer to it. ' || said, 'runId', run, 'createdAt', '2026-01-01T00:00:00Z')) FROM turn
	UNION ALL SELECT chat, n * 10 + 10, run, 2, 'finish', '', at, '{"status":"finished","stopReason":"goal","model":"model-1","usage":{"inputTokens":1000,"cachedTokens":0,"outputTokens":50,"reasoningTokens":0},"costMicros":100,"toolCalls":1,"toolReturns":1,"fallbackUsed":false}' FROM turn`

const calls = `INSERT INTO tool_calls (run_id, id, conversation_id, message_id, step, idx, name, args, args_hash, state, result, started_at, ended_at)
	SELECT run, 'call_' || id, chat, id || 'b', 1, 0, 'calculator', '{"expression":"6*7"}', 'h', 'success', '42', at, at + 5 FROM turn`

// approvals are those of each tenth run, all decided.
const approvals = `INSERT INTO approvals (id, kind, risk, run_id, conversation_id, tool_call_id, tool_name, args, args_hash, evidence, message, status, generation,
		requested_at, expires_at, decision, decided_by, decided_at, scope, applied, effective_at)
	SELECT 'approval-' || id, 'tool', 'low', run, chat, 'call_' || id, 'calculator', '{"expression":"6*7"}', 'h', '{"effect":"read","rule":"ask"}', 'May it?', 'decided', 1,
		at, at + 86400000, 'approve', 'person-1@example.org', at + 1000, 'once', TRUE, at + 1000 FROM turn WHERE rowid % 10 = 0`

const newest = `UPDATE conversations SET (last_seq, leaf_id, updated_at) = (SELECT COUNT(*) * $1, MAX(id) || 'd', MAX(at) FROM temp.turn t WHERE t.chat = conversations.id)
	WHERE id IN (SELECT chat FROM temp.turn)`

const owned = `UPDATE conversations SET owner_id = (SELECT id FROM users WHERE email = $1)
	WHERE id IN (SELECT chat FROM temp.turn) AND $1 <> ''`
