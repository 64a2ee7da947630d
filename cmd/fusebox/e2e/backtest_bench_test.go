package e2e

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/store/storetest"
)

// longer makes each run of a storetest.History one of eleven answers with ten
// calls: nine more, with 300 characters of text and results of a kilobyte, stored
// with their fingerprints as the loop does.
var longer = []string{
	`CREATE TEMP TABLE more AS WITH RECURSIVE k (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n < 8)
		SELECT m.id || n AS id, m.conversation_id AS chat, m.run_id AS run, m.created_at AS at, n,
			'Part ' || n || ' is next: ' || hex(randomblob(140)) AS said, '{"text":"' || n || hex(randomblob(500)) || '"}' AS result
		FROM messages m JOIN k WHERE m.id LIKE '%b'`,
	`INSERT INTO messages (id, conversation_id, parent_id, role, content, tool_calls, tool_call_id, run_id, created_at)
		SELECT id, chat, '', 'assistant', said, '', '', run, at FROM more`,
	`INSERT INTO tool_calls (run_id, id, conversation_id, message_id, step, idx, name, args, args_hash, state, result, result_hash, started_at, ended_at)
		SELECT run, 'call_' || id, chat, id, n + 2, 0, 'read_file', '{"path":"part' || (n % 4) || '.txt"}', 'h', 'success', result, substr(result, 10, 64), at, at FROM more`,
}

// BenchmarkBacktestRuns is the real command on a database of 10,000 runs with
// 100,000 calls, as a process of its own.
func BenchmarkBacktestRuns(b *testing.B) {
	dir := b.TempDir()
	file := storetest.Migrated(b, filepath.Join(dir, "fusebox.db"))
	h := storetest.History{Runs: 10_000, Conversations: 1000, Users: 50, Days: 20, End: time.Now()}
	must(b, h.Fill(b.Context(), file))
	db, err := sql.Open("sqlite3", "file:"+file)
	must(b, err)
	db.SetMaxOpenConns(1)
	for _, text := range longer {
		_, err := db.ExecContext(b.Context(), text)
		must(b, err)
	}
	must(b, db.Close())
	for b.Loop() {
		cmd := command(b, b.Context(), nil, "guards", "backtest", "--set", "guard.critical=6", "-data", dir)
		var said bytes.Buffer
		cmd.Stderr = &said
		must(b, cmd.Run())
		if !strings.Contains(said.String(), "10000 runs with 100000 calls") {
			b.Fatal(said.String())
		}
		b.ReportMetric(cmd.ProcessState.UserTime().Seconds(), "cpu-s/10k-runs")
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/10k-runs")
}
