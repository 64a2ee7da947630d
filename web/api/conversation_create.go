package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Create is POST /api/v1/conversations.
func (s *Conversations) Create(c echo.Context) error {
	var in agent.ConversationPatch
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	conv, err := s.Service.Conversations.Create(c.Request().Context(), request.Viewer(c), in)
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
	return conversationView{Conversation: c, CreatedAt: request.RFC3339(c.CreatedAt), UpdatedAt: request.RFC3339(c.UpdatedAt)}
}
