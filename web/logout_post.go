package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// logoutPost ends the session and its streams.
func (s *pageAccount) logoutPost(c echo.Context) error {
	if err := s.Sessions.signOut(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}
