package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Delete is DELETE /api/v1/conversations/{id}.
func (s *Conversations) Delete(c echo.Context) error {
	if err := s.Service.Conversations.Delete(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
