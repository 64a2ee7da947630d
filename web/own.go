package web

import (
	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// ownConversation is the conversation of :id for what only its owner may do.
// It comes before any look at the input: a stranger learns nothing from errors.
func (s *Server) ownConversation(c echo.Context) (*agent.Conversation, error) {
	v := viewerOf(c)
	conv, err := s.Store.Conversation(c.Request().Context(), v, c.Param("id"))
	if err == nil && conv.OwnerID != v.UserID {
		err = agent.Errorf(agent.Forbidden, "Only its owner can change this conversation.")
	}
	return conv, err
}
