package store

import (
	"context"
	"strings"

	"fusebox/agent"
	"fusebox/agent/sources"
	"fusebox/store/sqlite"
)

// readTree adds where the run stands in its tree: who works on what, on the way to it, and
// what its children have come to.
func readTree(ctx context.Context, from sqlite.Reader, snap *agent.Snapshot) error {
	run := snap.Run
	if run.Lineage.IsChild() {
		path, err := sqlite.List(ctx, from, func(r sqlite.Scanner) (agent.PathStep, error) {
			var id, name, flow, task string
			err := r.Scan(&id, &name, &flow, &task)
			step := agent.NewPathStep(id, name, task)
			step.Workflow = flow
			return step, err
		}, wayUp, run.ID, maxBranch)
		if err != nil {
			return err
		}
		snap.Path = path
	}
	for _, c := range snap.Calls {
		if c.Name == agent.DelegateTool && c.State == agent.CallExecuting {
			return readChildren(ctx, from, snap)
		}
	}
	return nil
}

// wayUp leads from the root to run $1, both included. What a run was asked is not always the message that it is
// behind: a run that goes on where another one failed is behind what that one has done.
var wayUp = `WITH RECURSIVE up(id, parent_run_id, message_id, agent, workflow, depth) AS (
		SELECT id, parent_run_id, message_id, agent, ` + workflowName("runs") + `, depth FROM runs WHERE id = $1
		UNION ALL
		SELECT r.id, r.parent_run_id, r.message_id, r.agent, ` + workflowName("r") + `, r.depth FROM up JOIN runs r ON r.id = up.parent_run_id
	),
	before(run_id, id, parent_id, asks, n) AS (
		SELECT up.id, m.id, m.parent_id, m.role = 'user' AND m.said_by = '', 1 FROM up JOIN messages m ON m.id = up.message_id
		UNION ALL
		SELECT b.run_id, m.id, m.parent_id, m.role = 'user' AND m.said_by = '', b.n + 1 FROM before b JOIN messages m ON m.id = b.parent_id
		WHERE NOT b.asks AND b.n < $2
	)
	SELECT up.id, up.agent, up.workflow, COALESCE(m.content, '') FROM up LEFT JOIN before b ON b.run_id = up.id AND b.asks LEFT JOIN messages m ON m.id = b.id
	ORDER BY up.depth`

// maxChildCalls bounds how many calls of a child and of those below it are read for its parent,
// without their results.
const maxChildCalls = 2000

var callWithoutResult = strings.Replace(callColumns, "result, result_hash", "'', ''", 1)

// readChildren adds the children of the calls that wait for them. Of those that have ended
// it reads what they have come to.
func readChildren(ctx context.Context, from sqlite.Reader, snap *agent.Snapshot) error {
	runs, err := sqlite.List(ctx, from, scanRun, `SELECT `+runColumns+` FROM runs r
		JOIN tool_calls c ON c.run_id = r.parent_run_id AND c.id = r.parent_call_id
		WHERE r.parent_run_id = $1 AND r.parent_run_id <> '' AND c.state = 'executing' ORDER BY r.id`, snap.Run.ID)
	if err != nil {
		return err
	}
	for _, run := range runs {
		child := agent.Child{Run: run}
		if run.Status.Ended() {
			said, err := answerOf(ctx, from, run.ID)
			if err != nil {
				return err
			}
			child.Answer, child.Citations, child.Hosts = sources.Handed(said), said.Citations, said.LinkHosts
			if child.Calls, err = callsBelow(ctx, from, run.ID); err != nil {
				return err
			}
		}
		snap.Children = append(snap.Children, child)
	}
	return nil
}

func callsBelow(ctx context.Context, from sqlite.Reader, runID string) ([]agent.ToolCall, error) {
	return sqlite.List(ctx, from, scanCall, `WITH RECURSIVE below(id) AS (
			SELECT $1 UNION ALL SELECT r.id FROM below JOIN runs r ON r.parent_run_id = below.id AND r.parent_run_id <> ''
		)
		SELECT `+callWithoutResult+` FROM tool_calls WHERE run_id IN (SELECT id FROM below) ORDER BY run_id, step, idx LIMIT $2`, runID, maxChildCalls)
}
