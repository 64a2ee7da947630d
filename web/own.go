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

// deleteConversation removes the conversation of :id and what its tools have
// left on the disk. Files that cannot be removed are logged: the conversation
// is gone all the same, and nobody reaches them any more.
func (s *Server) deleteConversation(c echo.Context) error {
	id := c.Param("id")
	if err := s.Store.DeleteConversation(c.Request().Context(), viewerOf(c), id); err != nil {
		return err
	}
	if err := s.Files.RemoveFiles(id); err != nil {
		s.Logger.Error("removing the files of a conversation failed", "conversation_id", id, "error", err)
	}
	return nil
}
