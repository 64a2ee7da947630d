package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Messages is GET /api/v1/conversations/{id}/messages: the active branch.
func (s *Conversations) Messages(c echo.Context) error {
	messages, err := s.Store.Messages(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, request.Listing[agent.Message]{Items: messages})
}
