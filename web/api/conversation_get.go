package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Get is GET /api/v1/conversations/{id}.
func (s *Conversations) Get(c echo.Context) error {
	conv, err := s.Store.Conversation(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, conversationJSON(*conv))
}
