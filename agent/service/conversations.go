package service

import (
	"context"
	"log/slog"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
)

// Bounds of what a conversation is given.
const (
	maxTitleRunes  = 200
	maxSystemBytes = 64 << 10
	maxTokenLimit  = 1_000_000_000
	maxCostLimit   = 1_000_000_000_000
)

// Conversations are the commands about conversations.
type Conversations struct {
	Store  Store
	Models *Models
	// Guards are the breakers' settings of the process.
	Guards agent.GuardSettings
	Tools  agent.Toolbox
	// Leftovers removes what a deleted conversation's tools have left on the disk.
	Leftovers *Leftovers
	// OnDelete is called after a conversation was deleted; nil does nothing.
	OnDelete func(conversationID string)
	Clock    agent.Clock
	NewID    agent.NewID
	Log      *slog.Logger
}

// Create stores a conversation of the viewer with the fields given.
func (s *Conversations) Create(ctx context.Context, v agent.Viewer, in agent.ConversationPatch) (agent.Conversation, error) {
	now := s.Clock.Now()
	model, err := s.Models.Default(ctx)
	if err != nil {
		return agent.Conversation{}, err
	}
	conv := agent.Conversation{
		ID: s.NewID(), OwnerID: v.UserID, Model: model, ApprovalMode: agent.ModeDefault,
		Collections: agent.Everything(), CreatedAt: now, UpdatedAt: now,
	}
	if err := s.check(ctx, v, conv, &in); err != nil {
		return conv, err
	}
	if in.LeafID != nil {
		return conv, agent.InvalidField("leafId", "is for conversations that have messages; leave it out")
	}
	set(&conv.Title, in.Title)
	set(&conv.Model, in.Model)
	set(&conv.System, in.System)
	set(&conv.ApprovalMode, in.ApprovalMode)
	set(&conv.RunTokenLimit, in.RunTokenLimit)
	set(&conv.OutputMode, in.OutputMode)
	set(&conv.Guards, in.Guards)
	set(&conv.Outputs, in.Outputs)
	set(&conv.OutputPurposes, in.OutputPurposes)
	set(&conv.ToolSets, in.ToolSets)
	set(&conv.Collections, in.Collections)
	set(&conv.Agent, in.Agent)
	set(&conv.Workflow, in.Workflow)
	set(&conv.Inputs, in.Inputs)
	set(&conv.RunCostLimit, in.RunCostLimit)
	set(&conv.Thinking, in.Thinking)
	set(&conv.ThinkingTokens, in.ThinkingTokens)
	return conv, s.Store.CreateConversation(ctx, conv)
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// Start makes a conversation of its first message. Where the message is not
// taken, no conversation is left.
func (s *Conversations) Start(ctx context.Context, v agent.Viewer, in agent.ConversationPatch, send func(conversationID string) error) (agent.Conversation, error) {
	conv, err := s.Create(ctx, v, in)
	if err != nil {
		return conv, err
	}
	if err = send(conv.ID); err == nil {
		return conv, nil
	}
	if delErr := s.Store.DeleteConversation(ctx, v, conv.ID); delErr != nil {
		s.Log.Error("deleting an empty conversation failed", "conversation_id", conv.ID, "error", delErr)
	}
	return conv, err
}

// Own is a conversation for what only its owner may do. It comes before any
// look at the input: a stranger learns nothing from errors.
func (s *Conversations) Own(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error) {
	conv, err := s.Store.Conversation(ctx, v, id)
	if err == nil && conv.OwnerID != v.UserID {
		err = agent.Errorf(agent.Forbidden, "Only its owner can change this conversation.")
	}
	return conv, err
}

// ForUpload is a conversation that its owner may send a file to: Full where the disk is.
func (s *Conversations) ForUpload(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error) {
	conv, err := s.Own(ctx, v, id)
	if err == nil {
		err = s.Store.Room()
	}
	return conv, err
}

// Rate keeps what the viewer says of an answer in one of their conversations.
func (s *Conversations) Rate(ctx context.Context, v agent.Viewer, f agent.Feedback) error {
	m, err := s.Store.OwnMessage(ctx, v, f.MessageID)
	if err != nil {
		return err
	}
	if m.Role != agent.FromAssistant {
		return agent.Errorf(agent.Invalid, "Only answers can be rated.")
	}
	f.Reason, f.At = strings.TrimSpace(f.Reason), agent.Stamp(s.Clock)
	if err := f.Check(); err != nil {
		return err
	}
	return s.Store.SetFeedback(ctx, f)
}

// Update changes what the patch names. Call Own first.
func (s *Conversations) Update(ctx context.Context, v agent.Viewer, have agent.Conversation, patch agent.ConversationPatch) (*agent.Conversation, error) {
	if err := s.check(ctx, v, have, &patch); err != nil {
		return nil, err
	}
	return s.Store.UpdateConversation(ctx, v, have.ID, patch)
}

// Delete removes a conversation and what its tools have left on the disk. Where files
// cannot be removed, the conversation is gone all the same.
func (s *Conversations) Delete(ctx context.Context, v agent.Viewer, id string) error {
	if err := s.Store.DeleteConversation(ctx, v, id); err != nil {
		return err
	}
	if s.OnDelete != nil {
		s.OnDelete(id)
	}
	return s.Leftovers.Remove(context.WithoutCancel(ctx), id)
}

// check checks the fields of a change of a conversation against their bounds. An empty
// model or mode takes the default; numbers of the breakers get their full keys.
func (s *Conversations) check(ctx context.Context, v agent.Viewer, have agent.Conversation, in *agent.ConversationPatch) error {
	if in.Model != nil && *in.Model == "" {
		in.Model = nil
	}
	if in.ApprovalMode != nil && *in.ApprovalMode == "" {
		in.ApprovalMode = nil
	}
	switch {
	case in.Title != nil && (utf8.RuneCountInString(*in.Title) > maxTitleRunes || !utf8.ValidString(*in.Title)):
		return agent.InvalidField("title", "is too long; at most %d characters are allowed", maxTitleRunes)
	case in.System != nil && len(*in.System) > maxSystemBytes:
		return agent.InvalidField("system", "has %d bytes; at most %d are allowed", len(*in.System), maxSystemBytes)
	case in.ApprovalMode != nil && !in.ApprovalMode.Valid():
		return agent.InvalidField("approvalMode", "%q is not allowed; allowed: default, auto_edit, yolo", *in.ApprovalMode)
	case in.ApprovalMode != nil && *in.ApprovalMode == agent.ModeYolo && v.Role != agent.RoleAdmin:
		return agent.InvalidField("approvalMode", "yolo is for admins only; allowed: default, auto_edit")
	case in.RunTokenLimit != nil && (*in.RunTokenLimit < 0 || *in.RunTokenLimit > maxTokenLimit):
		return agent.InvalidField("runTokenLimit", "is %d; allowed: 0 (the server's own limit) to %d", *in.RunTokenLimit, maxTokenLimit)
	case in.RunCostLimit != nil && (*in.RunCostLimit < 0 || *in.RunCostLimit > maxCostLimit):
		return agent.InvalidField("runCostLimitMicros", "is %d; allowed: 0 (the server's own limit) to %d", *in.RunCostLimit, int64(maxCostLimit))
	}
	if err := s.checkRules(ctx, have, in); err != nil {
		return err
	}
	if in.Model != nil {
		if err := s.Models.Check(*in.Model); err != nil {
			return err
		}
	}
	if in.Agent != nil {
		if err := checkAgent(ctx, s.Store, *in.Agent); err != nil {
			return err
		}
	}
	if err := checkWorkflow(ctx, s.Store, have, in); err != nil {
		return err
	}
	if in.OutputMode != nil {
		if err := CheckOutputMode("outputMode", *in.OutputMode); err != nil {
			return err
		}
	}
	if in.Outputs != nil {
		if err := agent.CheckOutputs(*in.Outputs); err != nil {
			return err
		}
	}
	if in.OutputPurposes != nil {
		if err := agent.CheckPurposes(*in.OutputPurposes); err != nil {
			return err
		}
	}
	if in.ToolSets != nil {
		if err := agent.CheckToolSets(*in.ToolSets, agent.ToolSets(s.Tools.Specs(), v.Role), have.ToolSets); err != nil {
			return err
		}
	}
	if in.Collections != nil {
		if err := in.Collections.Check("collections"); err != nil {
			return err
		}
	}
	if in.Guards == nil {
		return nil
	}
	full, err := s.checkGuards(ctx, *in.Guards)
	in.Guards = &full
	return err
}

// checkRules checks how the model is to think, and what admins allow.
func (s *Conversations) checkRules(ctx context.Context, have agent.Conversation, in *agent.ConversationPatch) error {
	thinking := agent.Thinking{Mode: have.Thinking, Tokens: have.ThinkingTokens}
	set(&thinking.Mode, in.Thinking)
	if thinking.Mode != agent.ThinkingOn && in.ThinkingTokens == nil { // without thinking it has no budget
		in.ThinkingTokens = new(int64)
	}
	set(&thinking.Tokens, in.ThinkingTokens)
	if err := thinking.Check(); err != nil {
		return err
	}
	rules, err := s.Rules(ctx)
	if err != nil {
		return err
	}
	return rules.Check(*in)
}
