package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// logoutPost ends the session and its streams.
func (s *Server) logoutPost(c echo.Context) error {
	if err := s.signOut(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}
