package page

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// SignOut ends the session and its streams.
func (s *Account) SignOut(c echo.Context) error {
	if err := s.Sessions.SignOut(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}
