package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Guards keeps what admins have changed of the breakers, the rules for tools, and
// what the detectors said.
type Guards struct{ *core }

// GuardConfig returns what admins have changed of the breakers.
func (s *Guards) GuardConfig(ctx context.Context) (agent.GuardConfig, error) {
	return guardConfig(ctx, s.db)
}

func guardConfig(ctx context.Context, from sqlite.Reader) (agent.GuardConfig, error) {
	c := agent.GuardConfig{Numbers: map[string]agent.GuardOverride{}, Switches: map[string]bool{}}
	err := sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
		var key string
		var o agent.GuardOverride
		err := r.Scan(&key, &o.Value, &o.Most)
		c.Numbers[key] = o
		return err
	}, `SELECT key, value, most FROM guard_numbers`)
	if err != nil {
		return c, err
	}
	err = sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
		var name string
		var on bool
		err := r.Scan(&name, &on)
		c.Switches[name] = on
		return err
	}, `SELECT detector, is_on FROM guard_switches`)
	if err != nil {
		return c, err
	}
	c.Rules, err = sqlite.List(ctx, from, func(r sqlite.Scanner) (agent.ToolRule, error) {
		var text string
		var rule agent.ToolRule
		if err := r.Scan(&text); err != nil {
			return rule, err
		}
		return rule, fromJSON(text, &rule)
	}, `SELECT rule FROM guard_rules WHERE state = 'active' ORDER BY tool`)
	return c, err
}

// SetGuardNumber changes a number for all runs; an empty override goes back to
// the configuration of the process.
func (s *Guards) SetGuardNumber(ctx context.Context, actor, key string, o agent.GuardOverride) error {
	return s.audited(ctx, actor, "guard.number", key, o, func(t *sqlite.Tx) error {
		if o == (agent.GuardOverride{}) {
			_, err := t.Exec(`DELETE FROM guard_numbers WHERE key = $1`, key)
			return err
		}
		_, err := t.Exec(`INSERT INTO guard_numbers (key, value, most) VALUES ($1, $2, $3)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value, most = excluded.most`, key, o.Value, o.Most)
		return err
	})
}

// SetGuardSwitch turns a detector on or off for all runs.
func (s *Guards) SetGuardSwitch(ctx context.Context, actor, detector string, on bool) error {
	return s.audited(ctx, actor, "guard.switch", detector, map[string]bool{"on": on}, func(t *sqlite.Tx) error {
		_, err := t.Exec(`INSERT INTO guard_switches (detector, is_on) VALUES ($1, $2)
			ON CONFLICT (detector) DO UPDATE SET is_on = excluded.is_on`, detector, on)
		return err
	})
}

// LoopDecisions reads the newest decisions that people made on loop approvals of
// runs that began in a span of time, from included, to not. It fills what says
// which loop it was and what was decided.
func (s *Guards) LoopDecisions(ctx context.Context, from, to time.Time, limit int) ([]agent.LoopDecision, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.LoopDecision, error) {
		d := agent.LoopDecision{Approval: agent.Approval{Kind: agent.KindLoop, Status: agent.ApprovalDecided}}
		var evidence string
		err := r.Scan(&d.ID, &d.RunID, &d.ToolName, &evidence, &d.Decision, &d.Comment, &d.Answer, &d.NotLoop, &d.RunStatus, &d.StopReason)
		d.Evidence = rawJSON(evidence)
		return d, err
	}, loopDecisions, sqlite.MS(from), sqlite.MS(to), limit)
}

// loopDecisions walks the index of decided approvals back from the newest: a
// decision is never older than its run.
const loopDecisions = `SELECT a.id, a.run_id, a.tool_name, a.evidence, a.decision, a.comment, a.answer, a.not_loop, r.status, r.stop_reason
	FROM approvals a CROSS JOIN runs r ON r.id = a.run_id
	WHERE a.status = 'decided' AND a.decided_at >= $1 AND a.kind = 'loop' AND a.decided_by NOT IN ('', 'system')
	AND r.created_at >= $1 AND r.created_at < $2 ORDER BY a.decided_at DESC, a.id DESC LIMIT $3`
