package web

import (
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// Bounds of what a conversation is given.
const (
	maxTitleRunes  = 200
	maxSystemBytes = 64 << 10
	maxTokenLimit  = 1_000_000_000
)

// conversationCreate is POST /api/v1/conversations.
func (s *Server) conversationCreate(c echo.Context) error {
	var in agent.ConversationPatch
	if err := readJSON(c, &in); err != nil {
		return err
	}
	conv, err := s.newConversation(c.Request().Context(), viewerOf(c), in)
	if err != nil {
		return err
	}
	if err := s.Store.CreateConversation(c.Request().Context(), conv); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/conversations/"+conv.ID)
	return c.JSON(http.StatusCreated, conversationJSON(conv))
}

// newConversation is a conversation of the viewer with the fields given.
func (s *Server) newConversation(ctx context.Context, v agent.Viewer, in agent.ConversationPatch) (agent.Conversation, error) {
	now := s.Clock.Now()
	conv := agent.Conversation{
		ID: s.NewID(), OwnerID: v.UserID, Model: s.DefaultModel, ApprovalMode: agent.ModeDefault,
		CreatedAt: now, UpdatedAt: now,
	}
	if err := s.checkPatch(ctx, v, &in); err != nil {
		return conv, err
	}
	set(&conv.Title, in.Title)
	set(&conv.Model, in.Model)
	set(&conv.System, in.System)
	set(&conv.ApprovalMode, in.ApprovalMode)
	set(&conv.RunTokenLimit, in.RunTokenLimit)
	set(&conv.OutputMode, in.OutputMode)
	set(&conv.Guards, in.Guards)
	set(&conv.Outputs, in.Outputs)
	return conv, nil
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// checkPatch holds the fields against their bounds. An empty model or mode
// takes the default; numbers of the breakers get their full keys.
func (s *Server) checkPatch(ctx context.Context, v agent.Viewer, in *agent.ConversationPatch) error {
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
	}
	if in.Model != nil {
		if err := s.checkModel(*in.Model); err != nil {
			return err
		}
	}
	if in.OutputMode != nil {
		if err := checkOutputMode("outputMode", *in.OutputMode); err != nil {
			return err
		}
	}
	if in.Outputs != nil {
		if err := agent.CheckOutputs(*in.Outputs); err != nil {
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

// conversationView is a conversation as the API shows it.
type conversationView struct {
	agent.Conversation
	CreatedAt *string `json:"createdAt"`
	UpdatedAt *string `json:"updatedAt"`
}

func conversationJSON(c agent.Conversation) conversationView {
	return conversationView{Conversation: c, CreatedAt: rfc3339(c.CreatedAt), UpdatedAt: rfc3339(c.UpdatedAt)}
}
