package store_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/pressly/goose/v3"

	"fusebox/agent"
	"fusebox/migrations"
)

// TestTreesGoWithTheirTables: where the tables of before child runs come back, nothing of those is
// left in what people see, and no run waits for them, or works on without its agent's limits.
func TestTreesGoWithTheirTables(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 0, "ana")
	waits, asks, limited := q.post("ana", nil).RunID, q.post("ana", nil).RunID, q.post("ana", nil).RunID
	q.wantClaims(waits, asks, limited)
	root := q.row(waits)
	child := q.child(root)
	child.Status = agent.StatusPaused
	_, err := q.Append(t.Context(), agent.Change{
		ConversationID: child.ConversationID, RunID: child.ID, ParentRunID: root.ID, Epoch: child.Epoch, Run: &child,
		Events: []agent.Event{{ConversationID: child.ConversationID, RunID: child.ID, ParentRunID: root.ID, Data: agent.Notice{Message: "Waiting."}}},
		Approvals: []agent.ApprovalChange{{Approval: agent.Approval{
			ID: "card", Kind: agent.KindTool, Risk: agent.RiskHigh, RunID: child.ID, ConversationID: child.ConversationID, Status: agent.ApprovalPending,
			Generation: 1, Evidence: []byte(`{}`), RequestedAt: q.clock.Now(), ExpiresAt: q.clock.Now(),
		}}},
	})
	check(t, err)
	for _, id := range []string{waits, asks, limited} {
		q.becomes(id, agent.StatusPaused)
	}
	check(t, q.Close())

	db, err := sql.Open("sqlite3", q.path)
	check(t, err)
	for id, of := range map[string]agent.Run{"delegate": root, "save": child} {
		_, err = db.ExecContext(t.Context(), `INSERT INTO tool_calls (run_id, id, conversation_id, message_id, step, idx, name, args, args_hash, state)
			VALUES ($1, $2, $3, '', 1, 0, $2, '{}', '', 'executing')`, of.ID, id, of.ConversationID)
		check(t, err)
	}
	_, err = db.ExecContext(t.Context(), `UPDATE runs SET agent = 'scout', agent_version = 1 WHERE id = $1`, limited)
	check(t, err)
	p, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS)
	check(t, err)
	_, err = p.DownTo(t.Context(), 49)
	check(t, err)
	for _, table := range []string{"messages", "events", "tool_calls", "approvals"} {
		var left int
		check(t, db.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT COUNT(*) FROM %s WHERE run_id = $1`, table), child.ID).Scan(&left))
		if left > 0 {
			t.Errorf("%d of the child's %s are left", left, table)
		}
	}
	check(t, db.Close())

	q.open()
	if _, err := q.Run(t.Context(), agent.Viewer{Role: agent.RoleAdmin}, child.ID); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("the child is still there: %v", err)
	}
	q.wantClaims(waits, limited, "")
	for _, id := range []string{waits, limited} {
		if r := q.row(id); r.AbortBy != agent.System {
			t.Errorf("%s goes on", id)
		}
	}
	if r := q.row(asks); r.Status != agent.StatusPaused || r.AbortBy != "" {
		t.Errorf("a run without children is %s, aborted by %q", r.Status, r.AbortBy)
	}
}
