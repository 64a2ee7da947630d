package store

import (
	"context"
	"maps"

	"fusebox/agent"
)

// protection is what the audit log keeps of a conversation's own settings: those
// that say what its runs may do without asking, and how far they go.
type protection struct {
	ApprovalMode  *agent.ApprovalMode `json:"approvalMode,omitempty"`
	RunTokenLimit *int64              `json:"runTokenLimit,omitempty"`
	Guards        *map[string]string  `json:"guards,omitempty"`
}

// auditProtection writes down how a patch changes a conversation's protection; a
// new title or model changes nothing of it.
func auditProtection(ctx context.Context, t *tx, have agent.Conversation, patch agent.ConversationPatch) error {
	var p protection
	if m := patch.ApprovalMode; m != nil && *m != have.ApprovalMode {
		p.ApprovalMode = m
	}
	if n := patch.RunTokenLimit; n != nil && *n != have.RunTokenLimit {
		p.RunTokenLimit = n
	}
	if g := patch.Guards; g != nil && !maps.Equal(*g, have.Guards) {
		p.Guards = g
	}
	if p == (protection{}) {
		return nil
	}
	text, err := toJSON(p)
	if err != nil {
		return err
	}
	return addAudit(ctx, t, "", "conversation.settings", have.ID, text)
}
