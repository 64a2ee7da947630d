package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Policy keeps the rules of admins and of approvals about which calls need approval.
type Policy struct{ *core }

const policyRuleColumns = `id, rule, approval_id, created_by, created_at, expires_at, revoked_at, revoked_by, NOT ` + ruleBacked

func scanPolicyRule(r sqlite.Scanner) (rule agent.PolicyRule, err error) {
	var text string
	var of agent.PolicyRule // what has columns of its own
	if err = r.Scan(&of.ID, &text, &of.ApprovalID, &of.CreatedBy, sqlite.Time(&of.CreatedAt), sqlite.Time(&of.ExpiresAt),
		sqlite.Time(&of.RevokedAt), &of.RevokedBy, &of.Unbacked); err != nil {
		return rule, err
	}
	err = fromJSON(text, &rule)
	rule.ID, rule.ApprovalID, rule.CreatedBy, rule.RevokedBy, rule.Unbacked = of.ID, of.ApprovalID, of.CreatedBy, of.RevokedBy, of.Unbacked
	rule.CreatedAt, rule.ExpiresAt, rule.RevokedAt = of.CreatedAt, of.ExpiresAt, of.RevokedAt
	return rule, err
}

// ruleBacked is the condition under which the person who allowed calls permanently still
// has the right to, ruleInForce the one under which a rule is active at $1: no one has
// revoked it, its time is now, and it is backed.
const (
	ruleBacked = `(approval_id = '' OR EXISTS (
		SELECT 1 FROM users u WHERE u.email = created_by AND NOT u.disabled AND u.role IN ('reviewer', 'admin')))`
	ruleInForce = `revoked_at = 0 AND (expires_at = 0 OR expires_at > $1) AND created_at <= $1 AND ` + ruleBacked
)

// PolicyRules are the rules of admins and of approvals that are in force now, oldest first.
func (s *Policy) PolicyRules(ctx context.Context) ([]agent.PolicyRule, error) {
	return policyRulesInForce(ctx, s.db, s.clock.Now())
}

func policyRulesInForce(ctx context.Context, from sqlite.Reader, now time.Time) ([]agent.PolicyRule, error) {
	return sqlite.List(ctx, from, scanPolicyRule, `SELECT `+policyRuleColumns+` FROM policy_rules WHERE `+ruleInForce+` ORDER BY id`, sqlite.MS(now))
}

func insertPolicyRule(t *sqlite.Tx, r agent.PolicyRule) error {
	text, err := toJSON(r)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO policy_rules (id, rule, approval_id, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		r.ID, text, r.ApprovalID, r.CreatedBy, sqlite.MS(r.CreatedAt), sqlite.MS(r.ExpiresAt))
	return err
}

// AllPolicyRules lists the rules of admins and of approvals, newest first: those
// of one state, or all of them where state is "".
func (s *Policy) AllPolicyRules(ctx context.Context, state agent.PolicyState, p agent.Page) ([]agent.PolicyRule, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	now := sqlite.MS(s.clock.Now())
	w := &where{}
	w.And(`id < `, from.id, ``)
	switch state {
	case agent.PolicyInForce:
		w.Also(`revoked_at = 0`)
		w.And(`(expires_at = 0 OR expires_at > `, now, `)`)
		w.And(`(created_at <= `, now, ` AND `+ruleBacked+`)`)
	case agent.PolicySuspended:
		w.Also(`revoked_at = 0`)
		w.And(`(expires_at = 0 OR expires_at > `, now, `)`)
		w.And(`NOT (created_at <= `, now, ` AND `+ruleBacked+`)`)
	case agent.PolicyExpired:
		w.Also(`revoked_at = 0 AND expires_at > 0`)
		w.And(`expires_at <= `, now, ``)
	case agent.PolicyRevoked:
		w.Also(`revoked_at > 0`)
	}
	limit := limitOf(p)
	query := `SELECT ` + policyRuleColumns + ` FROM policy_rules ` + w.String() + w.Param(` ORDER BY id DESC LIMIT `, limit+1)
	items, err := sqlite.List(ctx, s.db, scanPolicyRule, query, w.Args...)
	return page(items, err, limit, func(r agent.PolicyRule) cursor { return cursor{id: r.ID} })
}

const noPolicyRule = "There is no such rule."

// PolicyRule returns one rule, active or not; NotFound if there is none.
func (s *Policy) PolicyRule(ctx context.Context, id string) (*agent.PolicyRule, error) {
	return sqlite.One(s.db.QueryRowContext(ctx, `SELECT `+policyRuleColumns+` FROM policy_rules WHERE id = $1`, id), scanPolicyRule,
		noPolicyRule)
}

// AddPolicyRule puts a new rule in force. Conflict where there are too many.
func (s *Policy) AddPolicyRule(ctx context.Context, v agent.Viewer, r agent.PolicyRule) error {
	return s.audited(agent.WithViewer(ctx, v), "", "policy.rule.add", r.ID, r, func(t *sqlite.Tx) error {
		if err := roomForPolicyRule(t); err != nil {
			return err
		}
		return insertPolicyRule(t, r)
	})
}

// ChangePolicyRule revokes a rule and puts another one in its place: what was
// decided by the old one stays tied to what it said. NotFound where there is no
// such rule, Conflict if it is no longer active.
func (s *Policy) ChangePolicyRule(ctx context.Context, v agent.Viewer, oldID string, r agent.PolicyRule) error {
	detail := map[string]any{"now": r.ID, "rule": r}
	return s.audited(agent.WithViewer(ctx, v), "", "policy.rule.change", oldID, detail, func(t *sqlite.Tx) error {
		if err := revokePolicyRule(t, v, oldID); err != nil {
			return err
		}
		return insertPolicyRule(t, r)
	})
}

// RevokePolicyRule takes a rule out of force, for calls that were let pass by it
// and do not run yet as well. Conflict where that was done before.
func (s *Policy) RevokePolicyRule(ctx context.Context, v agent.Viewer, id string) error {
	return s.audited(agent.WithViewer(ctx, v), "", "policy.rule.revoke", id, struct{}{}, func(t *sqlite.Tx) error { return revokePolicyRule(t, v, id) })
}

func revokePolicyRule(t *sqlite.Tx, v agent.Viewer, id string) error {
	n, err := t.Exec(`UPDATE policy_rules SET revoked_at = $1, revoked_by = $2 WHERE id = $3 AND revoked_at = 0`, sqlite.MS(t.Clock.Now()), v.Email, id)
	if err != nil || n > 0 {
		return err
	}
	r, err := scanPolicyRule(t.Row(`SELECT `+policyRuleColumns+` FROM policy_rules WHERE id = $1`, id))
	if err != nil {
		return sqlite.NotFound(err, noPolicyRule)
	}
	return agent.Errorf(agent.Conflict, "This rule was already revoked by %s.", r.RevokedBy)
}

// roomForPolicyRule bounds what every call is checked against.
func roomForPolicyRule(t *sqlite.Tx) error {
	var n int
	err := t.Row(`SELECT COUNT(*) FROM policy_rules WHERE revoked_at = 0 AND (expires_at = 0 OR expires_at > $1)`, sqlite.MS(t.Clock.Now())).Scan(&n)
	if err == nil && n >= agent.MaxPolicyRules {
		err = agent.Errorf(agent.Conflict, "There are already %d active rules, the maximum. Revoke one first.", n)
	}
	return err
}
