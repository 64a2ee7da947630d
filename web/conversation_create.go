package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// conversationCreate is POST /api/v1/conversations.
func (s *apiConversations) conversationCreate(c echo.Context) error {
	var in agent.ConversationPatch
	if err := readJSON(c, &in); err != nil {
		return err
	}
	conv, err := s.Service.Conversations.Create(c.Request().Context(), viewerOf(c), in)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/conversations/"+conv.ID)
	return c.JSON(http.StatusCreated, conversationJSON(conv))
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
