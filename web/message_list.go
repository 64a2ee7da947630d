package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// messageList is GET /api/v1/conversations/{id}/messages: the active branch.
func (s *apiConversations) messageList(c echo.Context) error {
	messages, err := s.Store.Messages(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listing[agent.Message]{Items: messages})
}
