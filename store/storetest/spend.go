// Package storetest prepares databases for tests and benchmarks.
package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver
)

// Bill says how large a bill is made.
type Bill struct {
	// Lines spread evenly over Days, the last of which ends at End.
	Lines, Days                         int
	End                                 time.Time
	Models, Users, Conversations, Tools int
}

// Year is a busy instance's: a million calls within a year.
func Year(end time.Time) Bill {
	return Bill{Lines: 1_000_000, Days: 365, End: end, Models: 14, Users: 200, Conversations: 20_000, Tools: 12}
}

// Fill puts the bill, with its sums, in the place of the one in the database of
// a store that is open or was closed. A run has five lines, a conversation goes on for up to
// three days, and half of the calls call a tool.
func (b Bill) Fill(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=60000&_synchronous=OFF&_cache_size=-100000")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	width := int64(b.Days) * 24 * time.Hour.Milliseconds()
	start := b.End.UnixMilli() - width
	for _, step := range []struct {
		text string
		args []any
	}{
		{`BEGIN`, nil},
		{`DROP TRIGGER usage_no_delete`, nil},
		{`DELETE FROM usage`, nil},
		{`CREATE TRIGGER usage_no_delete BEFORE DELETE ON usage BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END`, nil},
		{people, []any{b.Users, start}},
		{chats, []any{b.Conversations, b.Users, start}},
		{bill, []any{b.Lines, b.Conversations, b.Users, b.Models, start, width, b.Tools}},
		{`COMMIT`, nil},
		{`BEGIN`, nil},
		{`DELETE FROM spend_sums`, nil},
		{fmt.Sprintf(sums, "'all'", 3_600_000, "''", "starts_run"), nil},
		{fmt.Sprintf(sums, "'hour'", 3_600_000, "model", "starts_model"), nil},
		{fmt.Sprintf(sums, "'model'", 86_400_000, "model", "starts_model"), nil},
		{fmt.Sprintf(sums, "'user'", 86_400_000, "user_id", "starts_run"), nil},
		{fmt.Sprintf(sums, "'conversation'", 86_400_000, "conversation_id", "starts_run"), nil},
		{fmt.Sprintf(sums, "'user28'", 28*86_400_000, "user_id", "starts_run"), nil},
		{fmt.Sprintf(sums, "'conversation28'", 28*86_400_000, "conversation_id", "starts_run"), nil},
		{fmt.Sprintf(sums, "'tool'", 86_400_000, "COALESCE(json_extract(NULLIF(tools, ''), '$[0].name'), '')", "tools LIKE '%first%'"), nil},
		{fmt.Sprintf(sums, "'total'", int64(1)<<60, "model", "starts_model"), nil},
		{`COMMIT`, nil},
		{`ANALYZE`, nil},
	} {
		if _, err := db.ExecContext(ctx, step.text, step.args...); err != nil {
			return fmt.Errorf("fill the bill: %w", err)
		}
	}
	return nil
}

const people = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1)
	INSERT OR IGNORE INTO users (id, email, password_hash, role, created_at) SELECT 'user-' || i, 'person-' || i || '@example.org', '', 'user', $2 FROM n`

const chats = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1)
	INSERT OR IGNORE INTO conversations (id, owner_id, title, model, system, approval_mode, created_at, updated_at)
	SELECT 'conversation-' || i, 'user-' || (i % $2), 'What is to be done about the ' || i || 'th question', '', '', 'default', $3, $3 FROM n`

// bill draws all that varies from the number of the line, so that each database
// is the same: products with odd numbers, taken by their middle digits.
const bill = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1),
	line AS (SELECT i, i / 5 AS run, i % 5 + 1 AS step, (i / 5 * 7919 / 13) % 1000 AS a, (i * 104729 / 7) % 1000 AS b,
		(i / 5 * $2 / ($1 / 5) + (i / 5 * 6007) % 160) % $2 AS chat FROM n)
	INSERT INTO usage (run_id, step, kind, conversation_id, user_id, model, input_tokens, cached_tokens, output_tokens, reasoning_tokens,
		estimated, cost_micros, finish_reason, started_at, ended_at, tools, priced, starts_run, starts_model)
	SELECT 'run-' || run, step, '', 'conversation-' || chat, 'user-' || (chat % $3), 'model-' || (a * a % 1000 * $4 / 1000),
		1000 + a * 9, a * 4, 50 + b, b / 3, b % 50 = 0, CASE WHEN b % 97 = 0 THEN 0 ELSE 100 + a * b / 9 END, 'stop',
		$5 + i * ($6 / $1), $5 + i * ($6 / $1),
		CASE WHEN b % 2 = 0 THEN '' ELSE '[{"name":"tool-' || (b / 2 % $7) || '","calls":1' || CASE WHEN step = 1 THEN ',"first":true' ELSE '' END || '}]' END,
		b % 97 <> 0, step = 1, step = 1 FROM line`

const sums = `INSERT INTO spend_sums SELECT %s, ended_at / %d, %s, COUNT(*), SUM(%s), SUM(input_tokens), SUM(cached_tokens), SUM(output_tokens),
	SUM(reasoning_tokens), SUM(cost_micros), SUM(NOT priced), SUM(estimated) FROM usage GROUP BY 2, 3`
