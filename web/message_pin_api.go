package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// messagePinAPI is PUT /api/v1/conversations/{id}/messages/{message}/pin.
func (s *apiConversations) messagePinAPI(c echo.Context) error {
	var in struct {
		Pinned bool `json:"pinned"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if err := s.Store.SetPinned(c.Request().Context(), viewerOf(c), c.Param("id"), c.Param("message"), in.Pinned); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
