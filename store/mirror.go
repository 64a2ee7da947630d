package store

import (
	"context"
	"time"

	"fusebox/agent"
)

// MirrorDecisions reads what people decided in a span of time, from included,
// to not. Cards of deleted conversations are gone with them.
func (s *Store) MirrorDecisions(ctx context.Context, from, to time.Time) ([]agent.MirrorDecision, error) {
	return list(ctx, s, func(r scanner) (agent.MirrorDecision, error) {
		var d agent.MirrorDecision
		var requested, decided int64
		err := r.Scan(&d.By, &d.Decision, &requested, &decided, &d.Call, &d.Opened, &d.Failed)
		d.RequestedAt, d.DecidedAt = fromMS(requested), fromMS(decided)
		return d, err
	}, `SELECT a.decided_by, a.decision, a.requested_at, a.decided_at, a.tool_call_id <> '',
		EXISTS (SELECT 1 FROM approval_looks l JOIN users u ON u.id = l.user_id WHERE l.approval_id = a.id AND l.opened AND u.email = a.decided_by),
		EXISTS (SELECT 1 FROM tool_calls c WHERE c.run_id = a.run_id AND c.id = a.tool_call_id AND c.state = 'error' AND c.rule = 'approval:' || a.id)
		FROM approvals a WHERE a.status = 'decided' AND a.decided_at >= $1 AND a.decided_at < $2 AND a.decided_by NOT IN ('', 'system')
		ORDER BY a.decided_at, a.id`, ms(from), ms(to))
}

// MirrorUndone counts, by who had decided, the decisions that were taken back in
// a span of time.
func (s *Store) MirrorUndone(ctx context.Context, from, to time.Time) (map[string]int, error) {
	undone := map[string]int{}
	err := s.each(ctx, func(r scanner) error {
		var who string
		err := r.Scan(&who)
		undone[who]++
		return err
	}, `SELECT COALESCE((SELECT d.actor FROM audit d WHERE d.target = u.target AND d.seq < u.seq AND d.action = 'approval.decide'
			ORDER BY d.seq DESC LIMIT 1), u.actor)
		FROM audit u WHERE u.action = 'approval.undo' AND u.at >= $1 AND u.at < $2`, ms(from), ms(to))
	return undone, err
}
