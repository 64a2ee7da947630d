package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// conversationGet is GET /api/v1/conversations/{id}.
func (s *apiConversations) conversationGet(c echo.Context) error {
	conv, err := s.Store.Conversation(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, conversationJSON(*conv))
}
