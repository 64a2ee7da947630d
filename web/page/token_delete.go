package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/web/request"
)

// DeleteToken takes an API token of the viewer's own away. NotFound for any other.
func (s *Settings) DeleteToken(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	if err := s.Store.DeleteToken(ctx, v.UserID, c.Param("id")); err != nil {
		return err
	}
	s.Streams.EndUser(v.UserID)
	s.Sessions.Flash(c, "The token is deleted.")
	return c.Redirect(http.StatusSeeOther, "/settings")
}
