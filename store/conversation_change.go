package store

import (
	"context"
	"errors"
	"maps"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// conversationJSON are the columns of a conversation that hold JSON: nil changes nothing,
// empty text stands for an empty value.
type conversationJSON struct{ guards, outputs, purposes, sets, collections, inputs *string }

func jsonOf(p agent.ConversationPatch) (c conversationJSON, err error) {
	var errs [6]error
	c.guards, errs[0] = mapJSON(p.Guards)
	c.outputs, errs[1] = mapJSON(p.Outputs)
	c.purposes, errs[2] = mapJSON(p.OutputPurposes)
	c.inputs, errs[3] = mapJSON(p.Inputs)
	if p.ToolSets != nil {
		c.sets, errs[4] = columnJSON(*p.ToolSets, len(*p.ToolSets))
	}
	if p.Collections != nil && !p.Collections.All() {
		c.collections, errs[5] = columnJSON(*p.Collections, 1)
	} else if p.Collections != nil {
		c.collections = new(string)
	}
	return c, errors.Join(errs[:]...)
}

func mapJSON[V any](m *map[string]V) (*string, error) {
	if m == nil {
		return nil, nil
	}
	return columnJSON(*m, len(*m))
}

// columnJSON is a value of n entries as it is stored.
func columnJSON(value any, n int) (*string, error) {
	text, err := partJSON(value, n)
	return &text, err
}

// CreateConversation adds an empty conversation.
func (s *Conversations) CreateConversation(ctx context.Context, c agent.Conversation) error {
	if c.Collections == nil {
		c.Collections = agent.Everything()
	}
	col, err := jsonOf(agent.ConversationPatch{
		Guards: &c.Guards, Outputs: &c.Outputs, OutputPurposes: &c.OutputPurposes, ToolSets: &c.ToolSets, Collections: &c.Collections, Inputs: &c.Inputs,
	})
	if err != nil {
		return err
	}
	if err := s.db.Room(); err != nil {
		return err
	}
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		_, err := t.Exec(`INSERT INTO conversations
			(id, owner_id, title, model, system, approval_mode, run_token_limit, output_mode, guards, outputs, created_at, updated_at,
				output_purposes, thinking, thinking_tokens, run_cost_limit, tool_sets, agent, collections, workflow, inputs)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
			c.ID, c.OwnerID, c.Title, c.Model, c.System, c.ApprovalMode, c.RunTokenLimit, c.OutputMode, col.guards, col.outputs, sqlite.MS(c.CreatedAt), sqlite.MS(c.UpdatedAt),
			col.purposes, c.Thinking, c.ThinkingTokens, c.RunCostLimit, col.sets, c.Agent, col.collections, c.Workflow, col.inputs)
		if err != nil {
			return err
		}
		usual := agent.Conversation{ID: c.ID, ApprovalMode: agent.ModeDefault}
		return auditProtection(ctx, t, usual, agent.ConversationPatch{ApprovalMode: &c.ApprovalMode, Guards: &c.Guards})
	})
}

// UpdateConversation changes the named fields. It is for the owner only:
// Forbidden for an admin, who may only read it.
func (s *Conversations) UpdateConversation(ctx context.Context, v agent.Viewer, id string, patch agent.ConversationPatch) (*agent.Conversation, error) {
	have, err := s.owned(ctx, v, id)
	if err != nil {
		return nil, err
	}
	col, err := jsonOf(patch)
	if err != nil {
		return nil, err
	}
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if patch.LeafID != nil {
			err := chooseLeaf(ctx, t, id, *patch.LeafID, "")
			if agent.CodeOf(err) == agent.NotFound {
				err = agent.InvalidField("leafId", "is not a message of this conversation")
			}
			if err != nil {
				return err
			}
			if patch == (agent.ConversationPatch{LeafID: patch.LeafID}) {
				return nil // it is not a change of the conversation that moves it in the list
			}
		}
		if err := auditProtection(ctx, t, *have, patch); err != nil {
			return err
		}
		_, err := t.Exec(`UPDATE conversations SET title = COALESCE($1, title), model = COALESCE($2, model),
			system = COALESCE($3, system), approval_mode = COALESCE($4, approval_mode),
			run_token_limit = COALESCE($5, run_token_limit), guards = COALESCE($6, guards), outputs = COALESCE($7, outputs),
			output_mode = COALESCE($8, output_mode), output_purposes = COALESCE($9, output_purposes), thinking = COALESCE($10, thinking),
			thinking_tokens = COALESCE($11, thinking_tokens), run_cost_limit = COALESCE($12, run_cost_limit),
			tool_sets = COALESCE($13, tool_sets), agent = COALESCE($14, agent), collections = COALESCE($15, collections),
			workflow = COALESCE($16, workflow), inputs = COALESCE($17, inputs), updated_at = $18 WHERE id = $19 AND owner_id = $20`,
			patch.Title, patch.Model, patch.System, patch.ApprovalMode, patch.RunTokenLimit, col.guards, col.outputs, patch.OutputMode,
			col.purposes, patch.Thinking, patch.ThinkingTokens, patch.RunCostLimit, col.sets, patch.Agent, col.collections,
			patch.Workflow, col.inputs, sqlite.MS(s.clock.Now()), id, v.UserID)
		if err != nil || patch.Title == nil || *patch.Title == have.Title {
			return err
		}
		_, err = eventlog.Append(t, id, []agent.Event{{Data: agent.TitleEvent{Title: *patch.Title}}})
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Conversation(ctx, v, id)
}

// protection is what the audit log keeps of a conversation's own settings: those
// that say what its runs may do without asking, and how far they go.
type protection struct {
	ApprovalMode  *agent.ApprovalMode `json:"approvalMode,omitempty"`
	RunTokenLimit *int64              `json:"runTokenLimit,omitempty"`
	RunCostLimit  *int64              `json:"runCostLimitMicros,omitempty"`
	Guards        *map[string]string  `json:"guards,omitempty"`
}

// auditProtection writes down how a patch changes a conversation's protection; a
// new title or model leaves that as it is.
func auditProtection(ctx context.Context, t *sqlite.Tx, have agent.Conversation, patch agent.ConversationPatch) error {
	var p protection
	if m := patch.ApprovalMode; m != nil && *m != have.ApprovalMode {
		p.ApprovalMode = m
	}
	if n := patch.RunTokenLimit; n != nil && *n != have.RunTokenLimit {
		p.RunTokenLimit = n
	}
	if n := patch.RunCostLimit; n != nil && *n != have.RunCostLimit {
		p.RunCostLimit = n
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
