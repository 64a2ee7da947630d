package store

import (
	"cmp"
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
	c.Rules, err = sqlite.List(ctx, from, func(r sqlite.Scanner) (rule agent.ToolRule, err error) {
		text, err := sqlite.ScanString(r)
		err = cmp.Or(err, fromJSON(text, &rule))
		return rule, err
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

// GuardRules lists the rules for tools that are active or proposed, newest first.
func (s *Guards) GuardRules(ctx context.Context) ([]agent.GuardRule, error) {
	return sqlite.List(ctx, s.db, scanRule, `SELECT `+ruleColumns+` FROM guard_rules
		WHERE state IN ('active', 'proposed') ORDER BY id DESC LIMIT 500`)
}

const ruleColumns = `id, rule, state, approval_id, actor, at`

func scanRule(r sqlite.Scanner) (g agent.GuardRule, err error) {
	var text string
	err = r.Scan(&g.ID, &text, &g.State, &g.ApprovalID, &g.Actor, sqlite.Time(&g.At))
	err = cmp.Or(err, fromJSON(text, &g.ToolRule))
	return g, err
}

// GuardRule returns one rule; NotFound where there is none.
func (s *Guards) GuardRule(ctx context.Context, id string) (*agent.GuardRule, error) {
	return sqlite.One(s.db.QueryRowContext(ctx, `SELECT `+ruleColumns+` FROM guard_rules WHERE id = $1`, id), scanRule,
		"There is no such rule.")
}

// ProposeRule stores the proposal of a person who marked an approval as not a loop,
// and marks the approval. Conflict where that was said already.
func (s *Guards) ProposeRule(ctx context.Context, g agent.GuardRule) error {
	return s.audited(ctx, g.Actor, "guard.propose", g.ApprovalID, g.ToolRule, func(t *sqlite.Tx) error {
		err := t.ExecOr(agent.Errorf(agent.Conflict, "This approval is already marked as not a loop, or is not decided yet."),
			`UPDATE approvals SET not_loop = TRUE WHERE id = $1 AND kind = 'loop' AND status = 'decided' AND NOT not_loop`, g.ApprovalID)
		if err != nil || g.Empty() {
			return err
		}
		return insertRule(t, g)
	})
}

func insertRule(t *sqlite.Tx, g agent.GuardRule) error {
	text, err := toJSON(g.ToolRule)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO guard_rules (id, tool, rule, state, approval_id, actor, at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		g.ID, g.Tool, text, g.State, g.ApprovalID, g.Actor, sqlite.MS(g.At))
	return err
}

// SaveRule puts a rule in force in place of the tool's active one.
func (s *Guards) SaveRule(ctx context.Context, g agent.GuardRule) error {
	return s.audited(ctx, g.Actor, "guard.rule", g.Tool, g.ToolRule, func(t *sqlite.Tx) error {
		if _, err := t.Exec(`DELETE FROM guard_rules WHERE (tool = $1 AND state = 'active') OR id = $2`, g.Tool, g.ID); err != nil {
			return err
		}
		g.State = agent.RuleActive
		return insertRule(t, g)
	})
}

// DismissRule takes a rule out of force, or a proposal off the list.
func (s *Guards) DismissRule(ctx context.Context, actor, id string) error {
	return s.audited(ctx, actor, "guard.dismiss", id, struct{}{}, func(t *sqlite.Tx) error {
		return t.ExecOr(agent.Errorf(agent.NotFound, "There is no such rule."),
			`UPDATE guard_rules SET state = 'dismissed' WHERE id = $1 AND state <> 'dismissed'`, id)
	})
}

func insertVerdict(t *sqlite.Tx, v agent.VerdictRecord) error {
	calls, err := toJSON(v.Calls)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO guard_verdicts (`+verdictColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		v.ID, v.RunID, v.ConversationID, v.Step, v.CallID, v.Tool, v.Detector, v.Level, v.Off, v.Count, v.Threshold, v.Message,
		calls, v.Tokens, v.CostMicros, v.SavedTokens, v.SavedMicros, sqlite.MS(v.At))
	return err
}

const verdictColumns = `id, run_id, conversation_id, step, tool_call_id, tool_name, detector, level, is_off, count, threshold,
	message, calls, tokens, cost_micros, saved_tokens, saved_micros, at`

// Verdicts lists what the guards said in a run, oldest first.
func (s *Guards) Verdicts(ctx context.Context, runID string) ([]agent.VerdictRecord, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (v agent.VerdictRecord, err error) {
		var calls string
		err = r.Scan(&v.ID, &v.RunID, &v.ConversationID, &v.Step, &v.CallID, &v.Tool, &v.Detector, &v.Level, &v.Off, &v.Count,
			&v.Threshold, &v.Message, &calls, &v.Tokens, &v.CostMicros, &v.SavedTokens, &v.SavedMicros, sqlite.Time(&v.At))
		err = cmp.Or(err, fromJSON(calls, &v.Calls))
		return v, err
	}, `SELECT `+verdictColumns+` FROM guard_verdicts WHERE run_id = $1 ORDER BY id`, runID)
}

// GuardStats sums what the detectors said between two instants, by detector.
func (s *Guards) GuardStats(ctx context.Context, from, to time.Time) ([]agent.GuardStat, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (g agent.GuardStat, err error) {
		err = r.Scan(&g.Detector, &g.Warnings, &g.Pauses, &g.Stops, &g.Off, &g.Tokens, &g.CostMicros, &g.SavedTokens, &g.SavedMicros)
		return g, err
	}, `SELECT v.detector,
		COALESCE(SUM(CASE WHEN v.level = 'warning' AND NOT v.is_off THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN v.level = 'critical' AND NOT v.is_off THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN v.level = 'breaker' AND NOT v.is_off THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN v.level <> 'pass' AND v.is_off THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN `+ended+` THEN v.tokens ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN `+ended+` THEN v.cost_micros ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN `+ended+` THEN v.saved_tokens ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN `+ended+` THEN v.saved_micros ELSE 0 END), 0)
		FROM guard_verdicts v JOIN runs r ON r.id = v.run_id
		WHERE v.at >= $1 AND v.at < $2 GROUP BY v.detector ORDER BY v.detector`, sqlite.MS(from), sqlite.MS(to))
}

// ended is true for the verdict that ended its run: a breaker, or a pause after which
// the run made no step more, because nobody has resumed it, or somebody has ended it. Of
// several in one step the first is the one that spoke.
const ended = `NOT v.is_off AND v.level IN ('critical', 'breaker') AND r.steps = v.step AND r.status NOT IN ('queued', 'running')
	AND v.id = (SELECT MIN(w.id) FROM guard_verdicts w WHERE w.run_id = v.run_id AND NOT w.is_off AND w.level IN ('critical', 'breaker')
		AND w.step = (SELECT MAX(x.step) FROM guard_verdicts x WHERE x.run_id = v.run_id AND NOT x.is_off AND x.level IN ('critical', 'breaker')))`
