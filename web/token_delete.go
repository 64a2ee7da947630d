package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// tokenDelete takes an API token of the viewer's own away. NotFound for any other.
func (s *pageSettings_) tokenDelete(c echo.Context) error {
	ctx, v := c.Request().Context(), viewerOf(c)
	if err := s.Store.DeleteToken(ctx, v.UserID, c.Param("id")); err != nil {
		return err
	}
	s.Streams.endUser(v.UserID)
	s.Sessions.flash(c, "The token is deleted.")
	return c.Redirect(http.StatusSeeOther, "/settings")
}
