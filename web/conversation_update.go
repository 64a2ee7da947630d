package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// conversationUpdate is PATCH /api/v1/conversations/{id}.
func (s *Server) conversationUpdate(c echo.Context) error {
	var in agent.ConversationPatch
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if _, err := s.ownConversation(c); err != nil {
		return err
	}
	if err := s.checkPatch(c.Request().Context(), viewerOf(c), &in); err != nil {
		return err
	}
	conv, err := s.Store.UpdateConversation(c.Request().Context(), viewerOf(c), c.Param("id"), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, conversationJSON(*conv))
}
