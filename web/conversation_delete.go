package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// conversationDelete is DELETE /api/v1/conversations/{id}.
func (s *apiConversations) conversationDelete(c echo.Context) error {
	if err := s.Service.Conversations.Delete(c.Request().Context(), viewerOf(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
