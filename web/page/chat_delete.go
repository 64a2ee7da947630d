package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// Delete removes a conversation, after the page has asked.
func (s *Chat) Delete(c echo.Context) error {
	if err := s.Service.Conversations.Delete(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return err
	}
	s.Sessions.Flash(c, "The chat is deleted.")
	return c.Redirect(http.StatusSeeOther, "/")
}
