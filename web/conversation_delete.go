package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// conversationDelete is DELETE /api/v1/conversations/{id}.
func (s *Server) conversationDelete(c echo.Context) error {
	if err := s.deleteConversation(c); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
