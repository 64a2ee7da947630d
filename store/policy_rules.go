package store

import (
	"context"

	"fusebox/agent"
)

const policyRuleColumns = `id, rule, approval_id, created_by, created_at, expires_at, revoked_at, revoked_by`

func scanPolicyRule(r scanner) (agent.PolicyRule, error) {
	var rule agent.PolicyRule
	var id, text, approval, by, revokedBy string
	var created, expires, revoked int64
	if err := r.Scan(&id, &text, &approval, &by, &created, &expires, &revoked, &revokedBy); err != nil {
		return rule, err
	}
	err := fromJSON(text, &rule)
	rule.ID, rule.ApprovalID, rule.CreatedBy, rule.RevokedBy = id, approval, by, revokedBy
	rule.CreatedAt, rule.ExpiresAt, rule.RevokedAt = fromMS(created), fromMS(expires), fromMS(revoked)
	return rule, err
}

// PolicyRules are the rules of admins and of approvals that are in force now, oldest first.
func (s *Store) PolicyRules(ctx context.Context) ([]agent.PolicyRule, error) {
	return list(ctx, s, scanPolicyRule, `SELECT `+policyRuleColumns+` FROM policy_rules
		WHERE revoked_at = 0 AND (expires_at = 0 OR expires_at > $1) ORDER BY id`, ms(s.clock.Now()))
}

func insertPolicyRule(t *tx, r agent.PolicyRule) error {
	text, err := toJSON(r)
	if err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO policy_rules (id, rule, approval_id, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		r.ID, text, r.ApprovalID, r.CreatedBy, ms(r.CreatedAt), ms(r.ExpiresAt))
	return err
}
