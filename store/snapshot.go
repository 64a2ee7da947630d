package store

import (
	"context"

	"fusebox/agent"
)

// Snapshot loads everything the Loop needs to go on with a run.
func (s *Store) Snapshot(ctx context.Context, runID string) (*agent.Snapshot, error) {
	run, err := scanRun(s.read.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs r WHERE r.id = $1`, runID))
	if err != nil {
		return nil, notFound(err, noRun)
	}
	snap := &agent.Snapshot{Run: run}
	row := s.read.QueryRowContext(ctx, `SELECT `+conversationColumns+`, u.email, u.output_mode, u.role
		FROM conversations c JOIN users u ON u.id = c.owner_id WHERE c.id = $1`, run.ConversationID)
	if snap.Conversation, err = scanConversation(beside{row, []any{&snap.OwnerEmail, &snap.OwnerOutput, &snap.OwnerRole}}); err != nil {
		return nil, err
	}
	newest, err := s.newestOf(ctx, runID)
	if err != nil {
		return nil, err
	}
	if snap.Branch, err = s.branch(ctx, run.ConversationID, newest); err != nil {
		return nil, err
	}
	if snap.Compactions, err = s.compactions(ctx, run.ConversationID); err != nil {
		return nil, err
	}
	if snap.Calls, err = s.ToolCalls(ctx, runID); err != nil {
		return nil, err
	}
	snap.Approvals, err = list(ctx, s.read, scanApproval, `SELECT `+approvalColumns+approvalFrom+`WHERE a.run_id = $1 ORDER BY a.id`, runID)
	if err != nil {
		return nil, err
	}
	if snap.Grants, err = s.grants(ctx, run); err != nil {
		return nil, err
	}
	if snap.Rules, err = s.PolicyRules(ctx); err != nil {
		return nil, err
	}
	if snap.Deciders, err = s.CountDeciders(ctx, nil); err != nil {
		return nil, err
	}
	snap.Guards, err = s.GuardConfig(ctx)
	return snap, err
}

// grants are the earlier approvals that cover later calls of this run. An edit
// for the whole conversation is none of them: what was approved are the edited
// arguments, and the stored hash is the one of those that were replaced.
func (s *Store) grants(ctx context.Context, run agent.Run) ([]agent.Grant, error) {
	return list(ctx, s.read, func(r scanner) (agent.Grant, error) {
		var g agent.Grant
		var covers string
		var decided int64
		if err := r.Scan(&g.ApprovalID, &g.Scope, &g.ToolName, &g.ArgsHash, &covers, &g.Risk, &g.DecidedBy, &decided); err != nil {
			return g, err
		}
		g.DecidedAt = fromMS(decided)
		return g, fromJSON(covers, &g.Covers)
	}, `SELECT id, scope, tool_name, args_hash, covers, risk, decided_by, decided_at FROM approvals
		WHERE kind = 'tool' AND status = 'decided' AND revoked_at = 0 AND conversation_id = $1 AND effective_at <= $2
		AND ((scope = 'conversation' AND decision = 'approve') OR (scope = 'run' AND run_id = $3 AND decision IN ('approve', 'edit')))
		ORDER BY id`, run.ConversationID, ms(s.clock.Now()), run.ID)
}
