package store

import (
	"context"
	"errors"
	"maps"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// Conversations keeps conversations and the messages in them.
type Conversations struct{ *core }

const conversationColumns = `c.id, c.owner_id, c.title, c.model, c.system, c.approval_mode, c.run_token_limit, c.output_mode, c.guards, c.outputs,
	c.output_purposes, c.tool_sets, c.collections, c.agent, NOT EXISTS (SELECT 1 FROM agents a WHERE a.name = c.agent AND NOT a.deleted),
	c.workflow, NOT EXISTS (SELECT 1 FROM workflows w WHERE w.name = c.workflow AND NOT w.deleted), c.inputs, c.thinking, c.thinking_tokens, c.run_cost_limit, c.leaf_id, c.last_seq, c.created_at, c.updated_at,
	COALESCE((SELECT r.status FROM runs r WHERE r.conversation_id = c.id AND r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused')), '')`

func scanConversation(r sqlite.Scanner) (agent.Conversation, error) {
	var c agent.Conversation
	var created, updated int64
	var guards, outputs, purposes, sets, collections, inputs string
	var noAgent, noWorkflow bool
	err := r.Scan(&c.ID, &c.OwnerID, &c.Title, &c.Model, &c.System, &c.ApprovalMode, &c.RunTokenLimit, &c.OutputMode, &guards, &outputs,
		&purposes, &sets, &collections, &c.Agent, &noAgent, &c.Workflow, &noWorkflow, &inputs, &c.Thinking, &c.ThinkingTokens, &c.RunCostLimit, &c.LeafID, &c.LastSeq, &created, &updated, &c.ActiveStatus)
	if err != nil {
		return c, err
	}
	if noAgent {
		c.Agent, c.DeletedAgent = "", c.Agent
	}
	if noWorkflow {
		c.Workflow, c.DeletedWorkflow = "", c.Workflow
	}
	c.CreatedAt, c.UpdatedAt, c.Collections = sqlite.FromMS(created), sqlite.FromMS(updated), agent.Everything()
	return c, errors.Join(fromJSON(collections, &c.Collections), fromJSON(guards, &c.Guards), fromJSON(outputs, &c.Outputs), fromJSON(purposes, &c.OutputPurposes), fromJSON(sets, &c.ToolSets), fromJSON(inputs, &c.Inputs))
}

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
	if n == 0 {
		return new(string), nil
	}
	text, err := toJSON(value)
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

// Conversation returns one that the viewer owns, or any to an admin.
func (s *Conversations) Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error) {
	c, err := scanConversation(s.db.QueryRowContext(ctx, `SELECT `+conversationColumns+`
		FROM conversations c WHERE c.id = $1 AND (c.owner_id = $2 OR $3)`, id, v.UserID, v.SeesAll()))
	if err != nil {
		return nil, sqlite.NotFound(err, agent.NoConversation)
	}
	return &c, nil
}

// Conversations lists the owner's own, newest change first; search is a part
// of the title, ignoring case.
func (s *Conversations) Conversations(ctx context.Context, ownerID, search string, p agent.Page) ([]agent.Conversation, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	if utf8.RuneCountInString(search) > maxSearch {
		return nil, "", agent.InvalidField("search", "is too long; at most %d characters are allowed", maxSearch)
	}
	limit := limitOf(p)
	items, err := sqlite.List(ctx, s.db, scanConversation, conversationsTitled(search), ownerID, from.at, from.id, containing(search), limit+1)
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(c agent.Conversation) cursor { return cursor{sqlite.MS(c.UpdatedAt), c.ID} })
	return items, next, nil
}

// conversationsTitled lists an owner's conversations whose titles contain a text.
func conversationsTitled(search string) string {
	return `SELECT ` + conversationColumns + ` FROM conversations c
		WHERE c.owner_id = $1 AND (c.updated_at < $2 OR (c.updated_at = $2 AND c.id < $3)) AND ` + titleLike(search, "$4") + `
		ORDER BY c.updated_at DESC, c.id DESC LIMIT $5`
}

// titleLike is the condition on a title that contains a text. The titles are in the index
// that leads to them, so that those which do not match cost little. LIKE ignores the case
// of ASCII letters by itself, many times faster than LOWER, which knows the case of all.
func titleLike(search, pattern string) string {
	title := `c.title`
	if !isASCII(search) {
		title = `LOWER(c.title)`
	}
	return title + ` LIKE ` + pattern + ` ESCAPE '!'`
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

// owned is Conversation for what only the owner may do.
func (s *Conversations) owned(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error) {
	c, err := s.Conversation(ctx, v, id)
	if err == nil && c.OwnerID != v.UserID {
		err = agent.Errorf(agent.Forbidden, "Only its owner can change this conversation.")
	}
	return c, err
}

// DeleteConversation removes a conversation with all that hangs on it; the
// ledger stays. Conflict while a run is active. Call EventLog.Erase afterwards, to
// have its text out of the files too.
func (s *Conversations) DeleteConversation(ctx context.Context, v agent.Viewer, id string) error {
	if _, err := s.owned(ctx, v, id); err != nil {
		return err
	}
	var gone struct {
		Runs int `json:"runs"`
	}
	defer s.forget(id)
	return s.audited(ctx, v.Email, "conversation.delete", id, &gone, func(t *sqlite.Tx) error {
		if err := t.Row(`SELECT COUNT(*) FROM runs WHERE conversation_id = $1`, id).Scan(&gone.Runs); err != nil {
			return err
		}
		if err := forgetAlerts(t, id); err != nil {
			return err
		}
		n, err := t.Exec(`DELETE FROM conversations WHERE id = $1 AND owner_id = $2 AND NOT EXISTS (
			SELECT 1 FROM runs r WHERE r.conversation_id = $1 AND r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused'))`, id, v.UserID)
		if err == nil && n == 0 {
			err = agent.Errorf(agent.Conflict, "A run of this conversation is active. Stop it first, then delete.")
		}
		if err != nil {
			return err
		}
		// Notifications name it: they are deleted too, and no longer sent.
		_, err = t.Exec(`DELETE FROM outbox WHERE conversation_id = $1`, id)
		return err
	})
}

// ApprovalMode is a conversation's as it is now.
func (s *Conversations) ApprovalMode(ctx context.Context, conversationID string) (agent.ApprovalMode, error) {
	var m agent.ApprovalMode
	err := s.db.QueryRowContext(ctx, `SELECT approval_mode FROM conversations WHERE id = $1`, conversationID).Scan(&m)
	return m, sqlite.NotFound(err, agent.NoConversation)
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
// new title or model changes nothing of it.
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
