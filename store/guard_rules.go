package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// GuardRules lists the rules for tools that are active or proposed, newest first.
func (s *Guards) GuardRules(ctx context.Context) ([]agent.GuardRule, error) {
	return sqlite.List(ctx, s.db, scanRule, `SELECT `+ruleColumns+` FROM guard_rules
		WHERE state IN ('active', 'proposed') ORDER BY id DESC LIMIT 500`)
}

const ruleColumns = `id, rule, state, approval_id, actor, at`

func scanRule(r sqlite.Scanner) (agent.GuardRule, error) {
	var g agent.GuardRule
	var text string
	var at int64
	if err := r.Scan(&g.ID, &text, &g.State, &g.ApprovalID, &g.Actor, &at); err != nil {
		return g, err
	}
	g.At = sqlite.FromMS(at)
	return g, fromJSON(text, &g.ToolRule)
}

// GuardRule returns one rule; NotFound where there is none.
func (s *Guards) GuardRule(ctx context.Context, id string) (*agent.GuardRule, error) {
	g, err := scanRule(s.db.QueryRowContext(ctx, `SELECT `+ruleColumns+` FROM guard_rules WHERE id = $1`, id))
	if err != nil {
		return nil, sqlite.NotFound(err, "There is no such rule.")
	}
	return &g, nil
}

// ProposeRule stores the proposal of a person who marked an approval as not a loop,
// and marks the approval. Conflict where that was said already.
func (s *Guards) ProposeRule(ctx context.Context, g agent.GuardRule) error {
	return s.audited(ctx, g.Actor, "guard.propose", g.ApprovalID, g.ToolRule, func(t *sqlite.Tx) error {
		n, err := t.Exec(`UPDATE approvals SET not_loop = TRUE WHERE id = $1 AND kind = 'loop' AND status = 'decided' AND NOT not_loop`, g.ApprovalID)
		if err != nil {
			return err
		}
		if n == 0 {
			return agent.Errorf(agent.Conflict, "This approval is already marked as not a loop, or is not decided yet.")
		}
		if g.Empty() {
			return nil
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
		n, err := t.Exec(`UPDATE guard_rules SET state = 'dismissed' WHERE id = $1 AND state <> 'dismissed'`, id)
		if err == nil && n == 0 {
			err = agent.Errorf(agent.NotFound, "There is no such rule.")
		}
		return err
	})
}
