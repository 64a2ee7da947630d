package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// conversationUpdate is PATCH /api/v1/conversations/{id}.
func (s *apiConversations) conversationUpdate(c echo.Context) error {
	var in agent.ConversationPatch
	if err := readJSON(c, &in); err != nil {
		return err
	}
	ctx, v, id := c.Request().Context(), viewerOf(c), c.Param("id")
	if _, err := s.Service.Conversations.Own(ctx, v, id); err != nil {
		return err
	}
	conv, err := s.Service.Conversations.Update(ctx, v, id, in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, conversationJSON(*conv))
}
