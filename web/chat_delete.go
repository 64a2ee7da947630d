package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// chatDelete removes a conversation, after the page has asked.
func (s *pageChat) chatDelete(c echo.Context) error {
	if err := s.Service.Conversations.Delete(c.Request().Context(), viewerOf(c), c.Param("id")); err != nil {
		return err
	}
	s.Sessions.flash(c, "The chat is deleted.")
	return c.Redirect(http.StatusSeeOther, "/")
}
