package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Pin is PUT /api/v1/conversations/{id}/messages/{message}/pin.
func (s *Conversations) Pin(c echo.Context) error {
	var in struct {
		Pinned bool `json:"pinned"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := s.Store.SetPinned(c.Request().Context(), request.Viewer(c), c.Param("id"), c.Param("message"), in.Pinned); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
