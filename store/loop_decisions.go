package store

import (
	"context"
	"time"

	"fusebox/agent"
)

// LoopDecisions reads the newest decisions that people made on loop approvals of
// runs that began in a span of time, from included, to not. It fills what says
// which loop it was and what was decided.
func (s *Guards) LoopDecisions(ctx context.Context, from, to time.Time, limit int) ([]agent.LoopDecision, error) {
	return list(ctx, s.db, func(r scanner) (agent.LoopDecision, error) {
		d := agent.LoopDecision{Approval: agent.Approval{Kind: agent.KindLoop, Status: agent.ApprovalDecided}}
		var evidence string
		err := r.Scan(&d.ID, &d.RunID, &d.ToolName, &evidence, &d.Decision, &d.Comment, &d.Answer, &d.NotLoop, &d.RunStatus, &d.StopReason)
		d.Evidence = rawJSON(evidence)
		return d, err
	}, loopDecisions, ms(from), ms(to), limit)
}

// loopDecisions walks the index of decided approvals back from the newest: a
// decision is never older than its run.
const loopDecisions = `SELECT a.id, a.run_id, a.tool_name, a.evidence, a.decision, a.comment, a.answer, a.not_loop, r.status, r.stop_reason
	FROM approvals a CROSS JOIN runs r ON r.id = a.run_id
	WHERE a.status = 'decided' AND a.decided_at >= $1 AND a.kind = 'loop' AND a.decided_by NOT IN ('', 'system')
	AND r.created_at >= $1 AND r.created_at < $2 ORDER BY a.decided_at DESC, a.id DESC LIMIT $3`
